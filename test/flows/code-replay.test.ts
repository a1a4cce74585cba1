import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aCode, ageUse, auditOf, isLive } from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

describe('a replayed code', () => {
  verifies(
    [
      'token.code.replay-ends-authorization',
      'oidcc-codereuse',
      'oidcc-codereuse-30seconds',
      'fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second',
    ],
    'is invalid_grant, and all tokens of its first exchange are revoked although the request fails',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const bystander = await aPair(world, school, client, ada)
      const first = (await exchange(world, school, client, code, pkce.verifier)).json()
      const child = (await refresh(world, school, client, first.refresh_token)).json()
      await ageUse(world, code)
      const again = await exchange(world, school, client, code, pkce.verifier)
      expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_grant'])
      for (const pair of [first, child]) {
        expect(await isLive(world, pair)).toBe(false)
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        const refreshed = await refresh(world, school, client, pair.refresh_token)
        expect(refreshed.json().error).toBe('invalid_grant')
      }
      expect(await isLive(world, bystander)).toBe(true)
    },
  )

  test('without the verifier and the client nothing is revoked: an attacker cannot end sessions of others', async () => {
    const thief = await world.aPublicClient(school)
    const { code, pkce } = await aCode(world, school, client, ada)
    const pair = (await exchange(world, school, client, code, pkce.verifier)).json()
    await exchange(world, school, client, code, 'b'.repeat(43))
    await exchange(world, school, client, code, pkce.verifier, { redirect_uri: 'http://x.test/' })
    await exchange(world, school, thief, code, pkce.verifier)
    await exchange(world, school, client, code, pkce.verifier, { client_id: 'unknown' })
    expect(await isLive(world, pair)).toBe(true)
  })

  verifies(
    'token.code.replay-ends-authorization',
    'that comes again within ten seconds, as from a page whose effects run twice, is refused and ends nothing',
    async () => {
      const own = await world.aConfidentialClient(school)
      const { code, pkce } = await aCode(world, school, own, ada)
      const first = (await exchange(world, school, own, code, pkce.verifier)).json()
      const rows = await auditOf(school, async () => {
        for (let time = 0; time < 3; time++) {
          const again = await exchange(world, school, own, code, pkce.verifier)
          expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_grant'])
        }
      })
      const replays = rows.filter(({ action }) => action === 'code.replayed')
      expect(replays).toMatchObject([{ detail: { ended: false }, actor_user_id: ada.id }])
      expect(await isLive(world, first)).toBe(true)
      expect((await userinfo(world, school, first.access_token)).statusCode).toBe(200)
      // The same code later is a thief, and has an entry of its own.
      await ageUse(world, code)
      const late = await auditOf(school, () => exchange(world, school, own, code, pkce.verifier))
      expect(late).toContainEqual(
        expect.objectContaining({ action: 'code.replayed', detail: { ended: true } }),
      )
      expect(await isLive(world, first)).toBe(false)
    },
  )

  test('is recorded with the person and the authorization that it ended', async () => {
    const { code, pkce } = await aCode(world, school, keeper, ada)
    await exchange(world, school, keeper, code, pkce.verifier)
    await ageUse(world, code)
    const rows = await auditOf(school, () => exchange(world, school, keeper, code, pkce.verifier))
    expect(rows.map(({ action }) => action)).toEqual(['code.replayed', 'token.refused'])
    expect(rows[0]).toMatchObject({
      outcome: 'invalid_grant',
      client_id: keeper.clientId,
      actor_user_id: ada.id,
      authorization_id: expect.any(String),
    })
  })
})
