import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { readUsage, usageSweep, writeUsage } from '../../src/domain/schools/usage.ts'
import { takeUsage } from '../../src/foundation/concurrency/usage-meter.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { environmentOf, run } from '../cli/support/run.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair } from '../support/client-like.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { postGraphQL } from '../support/member-api.ts'
import { passTime } from '../support/pass-time.ts'
import { portOf } from '../support/raw-http.ts'
import { aWorld, type TestSchool } from '../support/world.ts'

const world = await aWorld()
const { db } = world.database
const usageOf = async ({ subdomain }: TestSchool, minutes = 60) =>
  (await readUsage(db, minutes)).find(({ school }) => school === subdomain)

describe('the usage of schools', () => {
  verifies(
    'house.usage',
    'counts requests, statements, CPU and hashed passwords for the school that they were sent to',
    async () => {
      const [busy, quiet] = [await world.aSchool(), await world.aSchool()]
      const client = await world.aPublicClient(busy)
      const { access_token } = await aPair(world, busy, client, await world.aMember(busy))
      takeUsage()
      for (let n = 0; n < 5; n++) {
        const answer = await postGraphQL(world, busy, access_token, {
          query: '{ viewer { name } }',
        })
        expect(answer.statusCode).toBe(200)
      }
      await world.app.inject({ url: '/', headers: { host: new URL(quiet.origin).host } })
      await writeUsage(db)
      const [much, little] = [await usageOf(busy), await usageOf(quiet)]
      expect(much?.requests).toBe(5)
      expect(much?.statements).toBeGreaterThanOrEqual(5)
      expect(much?.cpuMs).toBeGreaterThan(0)
      expect(little?.requests).toBe(1)
      expect(
        (await readUsage(db, 60)).map(({ school }) => school).indexOf(quiet.subdomain),
      ).toBeGreaterThan(0)
    },
  )

  test('counts the bytes of a connection that carries requests to two schools', async () => {
    const one = await aListeningSchool(world)
    const other = await world.aSchool()
    takeUsage()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = async ({ origin }: TestSchool, headers: Record<string, string>) => {
      const host = new URL(origin).host
      const sent = ask({
        port: portOf(world.app.server),
        agent,
        path: '/no',
        headers: { host, ...headers },
      })
      const [answer] = await once(sent.end(), 'response')
      await text(answer)
      return sent.reusedSocket
    }
    expect(await get(one, { 'x-padding': 'x'.repeat(8000) })).toBe(false)
    expect(await get(other, {})).toBe(true)
    agent.destroy()
    await writeUsage(db)
    const [much, little] = [await usageOf(one), await usageOf(other)]
    expect(little?.bytes).toBeGreaterThan(100)
    expect(little?.bytes).toBeLessThan(8000)
    expect(much?.bytes).toBeGreaterThan(8000)
    expect(much?.requests).toBe(1)
  })

  test('adds what several processes and minutes have counted, and loses nothing while the database is away', async () => {
    const school = await world.aSchool()
    const visit = () =>
      world.app.inject({ url: '/', headers: { host: new URL(school.origin).host } })
    await visit()
    await writeUsage(db)
    await visit()
    const away = openDatabase({
      connection: { host: '127.0.0.1', port: 1 },
      poolSize: 1,
      statementTimeoutMs: 1000,
    })
    await expect(writeUsage(away.db)).rejects.toThrow()
    await away.close()
    await writeUsage(db)
    expect((await usageOf(school))?.requests).toBe(2)
  })

  test('is kept for a day and no longer', async () => {
    const school = await world.aSchool()
    await world.app.inject({ url: '/', headers: { host: new URL(school.origin).host } })
    await writeUsage(db)
    await passTime(world, '2 hours')
    expect(await usageOf(school)).toBeUndefined()
    expect((await usageOf(school, 24 * 60))?.requests).toBe(1)
    await passTime(world, '24 hours')
    await usageSweep.step(db, { after: undefined, size: 1000, now: Date.now() })
    expect(await db.selectFrom('school_usage').select('school_id').execute()).toEqual([])
  })

  test('is told by a command, the school with the most CPU first, with the share of each', async () => {
    const [one, two] = [await world.aSchool(), await world.aSchool()]
    const rows = [
      { school_id: one.id, cpu_micros: 1_000_000, requests: 1234 },
      { school_id: two.id, cpu_micros: 3_000_000, requests: 10 },
    ]
    const rest = { begins_at: new Date(), statements: 7, bytes: 2_500_000 }
    await db
      .insertInto('school_usage')
      .values(rows.map((row) => ({ ...row, ...rest })))
      .execute()
    const env = environmentOf(world.database.connection)
    const { code, stdout } = await run(['usage', '--limit', '1'], env)
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`${two.subdomain} +10 +7 +3\\.0 s +75 % +2\\.5 MB`))
    expect(stdout).not.toContain(one.subdomain)
    expect(stdout).toContain('all 2 schools')
    const { json } = await run(['usage', '--json'], env)
    expect(json.hour.total).toMatchObject({ requests: 1244, cpuMs: 4000 })
    expect(json.day.schools[1]).toMatchObject({ school: one.subdomain, cpuMs: 1000 })
    expect(await run(['usage', '--limit', 'many'], env)).toMatchObject({ code: 2 })
  })
})
