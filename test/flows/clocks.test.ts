import { decodeJwt } from 'jose'
import { afterEach, expect, vi } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aCode, ageCode, agePair } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)
afterEach(() => vi.useRealTimers())

/** Shifts the clock of this process; the clock of the database stays right. */
function shiftClock(days: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 })
}

verifies(
  'authorize.time.database',
  'in a process whose clock is a year off, nothing expires later or earlier',
  async () => {
    const fresh = await aCode(world, school, client, ada)
    const late = await aCode(world, school, client, ada)
    const live = await aPair(world, school, client, ada)
    const dead = await aPair(world, school, client, ada)
    await ageCode(world, late.code, '5 minutes')
    await agePair(world, dead, '90 days')
    const now = Math.floor(Date.now() / 1000)

    shiftClock(365)
    expect((await userinfo(world, school, live.access_token)).statusCode).toBe(200)
    expect((await refresh(world, school, client, live.refresh_token)).statusCode).toBe(200)
    const pair = (await exchange(world, school, client, fresh.code, fresh.pkce.verifier)).json()
    expect(Math.abs(pair.created_at - now)).toBeLessThan(3600)
    expect(Math.abs(Number(decodeJwt(pair.id_token).exp) - now)).toBeLessThan(3600)

    shiftClock(-730)
    const code = await exchange(world, school, client, late.code, late.pkce.verifier)
    expect(code.json().error).toBe('invalid_grant')
    expect((await userinfo(world, school, dead.access_token)).statusCode).toBe(401)
    const refreshed = await refresh(world, school, client, dead.refresh_token)
    expect(refreshed.json().error).toBe('invalid_grant')
  },
)
