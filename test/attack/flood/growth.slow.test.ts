import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { writeRepeatedCounts } from '../../../src/domain/audit/repeated-entries.ts'
import { MOST_AUTHORIZATIONS } from '../../../src/domain/grants/purge-grants.ts'
import {
  findSession,
  type ProvenPerson,
  startSession,
} from '../../../src/domain/people/sessions.ts'
import { SchoolDirectory } from '../../../src/domain/schools/school-directory.ts'
import { sha256 } from '../../../src/foundation/crypto/digest.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { mintToken } from '../../../src/foundation/protocol/token-format.ts'
import { purgeOnce } from '../../../src/start/purge-rows.ts'
import { plainServer } from '../../net/test-server.ts'
import { verifies } from '../../spec/verifies.ts'
import { ask, signedIn } from '../../support/authorization.ts'
import { aPkce, authorizeAs, Visitor } from '../../support/browser-like.ts'
import { aPair, exchange, postForm, refresh, revoke, userinfo } from '../../support/client-like.ts'
import { eventually } from '../../support/eventually.ts'
import { aCode, ageUse, auditOf } from '../../support/oauth-world.ts'
import { aWorld, CALLBACK } from '../../support/world.ts'

const lines: string[] = []
const world = await aWorld({
  loopbackDocuments: true,
  log: { write: (line) => lines.push(line) },
})
const { db } = world.database
const school = await world.aSchool({ openRegistration: true })
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

const times = async <R>(count: number, work: (time: number) => Promise<R>): Promise<R[]> => {
  const all: R[] = []
  for (let time = 0; time < count; time++) all.push(await work(time))
  return all
}

/** The number of rows of every table. */
async function rowCounts(): Promise<Record<string, number>> {
  const tables = await db.introspection.getTables()
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(name)}`.execute(db)
    counts[name] = rows[0]?.n ?? 0
  }
  return counts
}

const purge = () => purgeOnce(db, { auditRetentionDays: 365 })

describe('a stranger', () => {
  verifies('house.growth.strangers', 'who tries every door leaves no row that stays', async () => {
    await ask({ world, school, client, person: ada })
    const before = await rowCounts()
    const visitor = new Visitor(world, school)
    const host = new URL(school.origin).host
    const post = (url: string, payload: unknown, token?: string) =>
      world.app.inject({
        method: 'POST',
        url,
        headers: {
          host,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        payload: JSON.stringify(payload),
      })
    await times(10, async (time) => {
      const token = mintToken('access', uuidv7()).value
      await ask({ world, school, client, person: ada }, { state: `${time}` })
      await ask({ world, school, client, person: ada }, { client_id: `made-up-${time}` })
      await postForm(world, school, '/api/oauth/register', { client_name: 'Claude' })
      for (const [grant, secret] of [
        ['refresh_token', mintToken('refresh', uuidv7()).value],
        ['authorization_code', mintToken('code', uuidv7()).value],
      ] as const) {
        const fields = { grant_type: grant, refresh_token: secret, code: secret }
        await postForm(world, school, '/api/oauth/token', { client_id: client.clientId, ...fields })
        const wrong = { client_id: keeper.clientId, client_secret: 'wrong' }
        await postForm(world, school, '/api/oauth/token', { ...wrong, ...fields })
      }
      const revoking = { token: mintToken('refresh', uuidv7()).value, client_id: client.clientId }
      await postForm(world, school, '/api/oauth/revoke', revoking)
      await userinfo(world, school, token)
      await post('/member/graphql', { query: '{ viewer { id } }' }, token)
      await post('/api/v1/courses', { title: 'Mine' }, token)
      const call = { name: 'search', arguments: { query: `word${time}` } }
      await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
      await visitor.get(`/nothing/${time}`)
      await visitor.get(`/oauth/logout?client_id=${client.clientId}`)
      const page = await visitor.get('/sign-in')
      await visitor.signIn(page, { ...ada, email: `stranger${time}@people.test` }, 'a wrong guess')
    })
    const after = await rowCounts()
    expect(after.sign_in_throttles).toBeGreaterThan(0)
    expect({ ...after, sign_in_throttles: before.sign_in_throttles }).toEqual(before)
    await world.database.pool.query(
      `update sign_in_throttles set window_ends_at = now() - interval '1 second'`,
    )
    await purge()
    expect((await rowCounts()).sign_in_throttles).toBe(0)
  })

  verifies(
    'house.growth.strangers',
    'who names failing documents leaves no row, and unused good ones go after an hour',
    async () => {
      const port = await plainServer((request, response) => {
        const url = `http://127.0.0.1:${port}${request.url}`
        const document = { client_id: url, client_name: 'Tool', redirect_uris: [CALLBACK] }
        if (request.url?.startsWith('/good')) {
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(JSON.stringify(document))
        } else response.writeHead(404).end()
      })
      const documents = async () => (await rowCounts()).client_documents
      const named = (path: string) => ({
        clientId: `http://127.0.0.1:${port}${path}`,
        secret: undefined,
        redirectUri: CALLBACK,
      })
      const owner = await world.aMember(school, ['owner'])
      const visit = (path: string) =>
        ask({ world, school, client: named(path), person: owner }, { scope: 'openid' })
      const before = (await documents()) ?? 0
      await times(30, (time) => visit(`/bad${time}.json`))
      expect(await documents()).toBe(before)
      await times(5, (time) => visit(`/good${time}.json`))
      await authorizeAs(world, school, named('/good-used.json'), owner, { scope: 'openid' })
      expect(await documents()).toBe(before + 6)
      await purge()
      expect(await documents()).toBe(before + 6)
      await world.database.pool.query(
        `update client_documents set fetched_at = fetched_at - interval '61 minutes'`,
      )
      await purge()
      const { rows } = await world.database.pool.query('select url from client_documents')
      expect(rows).toEqual([{ url: named('/good-used.json').clientId }])
    },
  )

  test('whose hosts are made up pushes no school out of the cache', async () => {
    let statements = 0
    world.database.onStatement(() => statements++)
    const directory = new SchoolDirectory(db, () => 0, 50)
    await directory.find(school.origin)
    await times(200, async (time) => directory.find(`http://made-up-${time}.test`))
    statements = 0
    expect(await directory.find(school.origin)).toMatchObject({ id: school.id })
    expect(statements).toBe(0)
  })

  verifies(
    'house.growth.log',
    'writes one short line for a request, whatever it holds',
    async () => {
      const long = 'x'.repeat(4000)
      const host = new URL(school.origin).host
      const headers = {
        host,
        'user-agent': long,
        referer: long,
        'x-request-id': long,
        cookie: long,
      }
      const get = (url: string, more = {}) =>
        world.app.inject({ url, headers: { ...headers, ...more } })
      const answers = [
        await get(`/${long}?${long}`),
        await get(`/oauth/authorize?client_id=${long}&state=${long}`),
        await get('/', { host: `${'x.'.repeat(100)}test` }),
        await postForm(world, school, '/api/oauth/token', { client_id: long, grant_type: long }),
      ]
      for (const { headers: sent } of answers) {
        const own = () => lines.filter((line) => line.includes(`"${sent['x-request-id']}"`))
        await vi.waitFor(() => expect(own()).toHaveLength(1), eventually)
        expect(own()[0]?.length).toBeLessThan(600)
      }
    },
  )
})

describe('a client', () => {
  verifies(
    'house.growth.audit',
    'that presents one dead refresh token a hundred times leaves two entries, not two hundred',
    async () => {
      for (const one of [client, keeper]) {
        const pair = await aPair(world, school, one, ada)
        await revoke(world, school, one, pair.refresh_token)
        const rows = await auditOf(school, () =>
          times(100, () => refresh(world, school, one, pair.refresh_token)),
        )
        expect(rows.map(({ action }) => action).toSorted()).toEqual([
          'token.refused',
          'token.replayed',
        ])
      }
    },
  )

  verifies(
    'house.growth.audit',
    'that varies what it sends leaves one entry for each rule that it breaks, with the number of repetitions',
    async () => {
      const narrow = { scope: 'openid account:read' }
      const pair = await aPair(world, school, client, ada, narrow)
      const kept = await aPair(world, school, keeper, ada, narrow)
      const read = () =>
        auditOf(school, async () => {
          for (let time = 0; time < 30; time++) {
            const scope = `openid account:write made-up-${time}`
            await refresh(world, school, client, pair.refresh_token, { scope })
            const resource = `https://elsewhere-${time}.test`
            await refresh(world, school, client, pair.refresh_token, { resource })
            await refresh(world, school, keeper, kept.refresh_token, { scope })
            await refresh(world, school, keeper, mintToken('refresh', uuidv7()).value)
            await refresh(world, school, keeper, `garbage-${time}`)
            await exchange(world, school, keeper, `garbage-${time}`, 'x'.repeat(43))
          }
          await writeRepeatedCounts()
        })
      const rows = await read()
      expect(rows).toHaveLength(6)
      for (const { action, detail } of rows) {
        expect(action).toBe('token.refused')
        expect(detail).toEqual({ description: expect.any(String), repeated: 29 })
      }
      expect(await read()).toEqual([])
    },
  )

  verifies(
    'house.growth.audit',
    'that goes on is counted once a minute, in one statement',
    async () => {
      const pair = await aPair(world, school, client, ada)
      await revoke(world, school, client, pair.refresh_token)
      const replay = () => refresh(world, school, client, pair.refresh_token)
      await writeRepeatedCounts()
      const before = new Date()
      await replay()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const counts = async () => {
        const { rows } = await sql<{ repeated: number | null }>`
          select (detail ->> 'repeated')::int as repeated from audit_entries
          where school_id = ${school.id} and at >= ${before} and outcome = 'invalid_grant'`.execute(
          db,
        )
        return rows.map(({ repeated }) => repeated)
      }
      try {
        await times(20, replay)
        await vi.advanceTimersByTimeAsync(59_000)
        expect(await counts()).toEqual([null, null])
        const statements = await world.database.statementsOf(
          async () => {
            await vi.advanceTimersByTimeAsync(1_000)
          },
          { withTimers: true },
        )
        expect(statements.filter((text) => text.includes('update audit_entries'))).toHaveLength(1)
      } finally {
        vi.useRealTimers()
      }
      await vi.waitFor(async () => expect(await counts()).toEqual([20, 20]), eventually)
    },
  )

  verifies('house.growth.audit', 'that replays its code leaves few entries', async () => {
    const { code, pkce } = await aCode(world, school, client, ada)
    await exchange(world, school, client, code, pkce.verifier)
    await ageUse(world, code)
    const rows = await auditOf(school, () =>
      times(50, () => exchange(world, school, client, code, pkce.verifier)),
    )
    const actions = rows.map(({ action }) => action)
    expect(actions.filter((action) => action === 'code.replayed')).toHaveLength(1)
    expect(actions.length).toBeLessThanOrEqual(2)
  })

  verifies('house.growth.audit', 'that repeats a refused request leaves one entry', async () => {
    const secret = { client_id: keeper.clientId, client_secret: keeper.secret ?? '' }
    const rows = await auditOf(school, () =>
      times(50, () => postForm(world, school, '/api/oauth/revoke', secret)),
    )
    expect(rows.map(({ action }) => action)).toEqual(['token.refused'])
  })

  verifies(
    'house.growth.grants',
    'that authorizes a person without end keeps the newest five hundred, and a device that rests',
    async () => {
      const person = await world.aMember(school)
      const anHourAgo = Date.now() - 3_600_000
      const ids = Array.from({ length: MOST_AUTHORIZATIONS + 20 }, () => uuidv7(anHourAgo))
      await sql`
        insert into authorizations (id, school_id, client_id, user_id, audience, scopes)
        select id, ${school.id}, ${client.clientId}, ${person.id}, 'member', '{openid}'
        from unnest(${ids}::uuid[]) id`.execute(db)
      const pair = await aPair(world, school, client, person)
      // A device that rests since before all of them, none of which has a token.
      const resting = await aPair(world, school, client, person)
      await sql`
        update authorizations set created_at = now() - interval '2 hours', last_used_at = null
        where id = (select authorization_id from token_pairs where access_hash = ${sha256(resting.access_token)})`.execute(
        db,
      )
      const rows = await auditOf(school, async () => {
        expect((await purge()).removed.surplus_authorizations).toBe(22)
        expect((await purge()).removed.surplus_authorizations).toBe(0)
      })
      expect(rows.map(({ action }) => action)).toEqual(['authorization.ended'])
      for (const { access_token } of [pair, resting]) {
        expect((await userinfo(world, school, access_token)).statusCode).toBe(200)
      }
    },
  )
})

describe('a member', () => {
  verifies('house.growth.audit', 'who denies again and again leaves one entry', async () => {
    const person = await world.aMember(school)
    const { visitor } = await signedIn({ world, school, client, person })
    const rows = await auditOf(school, () =>
      times(20, () => authorizeAs(world, school, client, person, { visitor, decision: 'deny' })),
    )
    expect(rows.map(({ action }) => action)).toEqual(['authorization.denied'])
  })

  verifies('house.growth.grants', 'who agrees again and again has twenty codes', async () => {
    const person = await world.aMember(school)
    const { visitor } = await signedIn({ world, school, client, person })
    const pkce = aPkce()
    const last = (
      await times(30, () => authorizeAs(world, school, client, person, { visitor, pkce }))
    ).at(-1)
    const codes = await school.db
      .from('authorization_codes')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    expect(codes).toHaveLength(20)
    const answer = await exchange(world, school, client, last?.get('code') ?? '', pkce.verifier)
    expect(answer.statusCode).toBe(200)
  })

  verifies('house.growth.sessions', 'who signs in without end has a hundred sessions', async () => {
    const person = { ...(await world.aMember(school)), avatarUrl: undefined }
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    const proven: ProvenPerson = {
      person,
      credential: { kind: 'password', hash: password_hash ?? '' },
      methods: ['password'],
    }
    const sessions = await times(120, () => startSession(school.db, proven, 'a browser'))
    const kept = await school.db
      .from('browser_sessions')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    expect(kept).toHaveLength(100)
    expect(await findSession(school.db, sessions.at(-1)?.cookie)).toBeDefined()
    expect(await findSession(school.db, sessions[0]?.cookie)).toBeUndefined()
  })
})
