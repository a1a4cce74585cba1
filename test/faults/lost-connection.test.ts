import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { trustNoProxy } from '../../src/foundation/http/client-address.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { parseToken } from '../../src/foundation/protocol/token-format.ts'
import { verifies } from '../spec/verifies.ts'
import { aPkce, authorizeAs } from '../support/browser-like.ts'
import { aPair, exchange, type Pair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { PATIENT } from '../support/database.ts'
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts'
import { ageUse } from '../support/oauth-world.ts'
import { type Waiting, whileRowHeld } from '../support/row-lock.ts'
import { aWorld, World } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)

/** The same school over a new connection on which no statement is prepared yet. */
async function withProxy<R>(
  work: (proxied: World, proxy: DatabaseProxy) => Promise<R>,
): Promise<R> {
  const proxy = await aDatabaseProxy(world.database.connection)
  const database = openDatabase({ ...PATIENT, connection: proxy.connection, poolSize: 3 })
  const context = {
    ...world.context,
    db: database.db,
    directory: new SchoolDirectory(database.db),
  }
  const app = buildApp({
    context,
    logger: createLogger({ level: 'silent' }),
    trust: trustNoProxy,
    readiness: async () => [],
  })
  try {
    return await work(new World(app, world.database, context), proxy)
  } finally {
    await app.close()
    await database.close()
  }
}

async function aCode(): Promise<{ code: string; verifier: string; id: string }> {
  const pkce = aPkce()
  const callback = await authorizeAs(world, school, client, ada, { pkce })
  const code = callback.get('code') ?? ''
  return { code, verifier: pkce.verifier, id: parseToken('code', code)?.id ?? '' }
}

const idOf = (pair: Pair): string => parseToken('access', pair.access_token)?.id ?? ''

async function authorizationsOf(codeId: string): Promise<readonly (Date | null)[]> {
  const rows = await school.db
    .from('authorizations')
    .select('revoked_at')
    .where('code_id', '=', codeId)
    .execute()
  return rows.map((row) => row.revoked_at)
}

async function childrenOf(pairId: string): Promise<readonly string[]> {
  const rows = await world.database.db
    .selectFrom('token_pairs')
    .select('id')
    .where('previous_id', '=', pairId)
    .execute()
  return rows.map(({ id }) => id)
}

describe('the answer is lost after the commit', () => {
  test.each([1, 2])(
    'a code exchange whose answer was lost %i times is retried, not taken for a replay',
    async (times) => {
      const { code, verifier, id } = await aCode()
      await withProxy(async (proxied, proxy) => {
        proxy.loseAnswersTo('update authorization_codes', times)
        const answer = await exchange(proxied, school, client, code, verifier)
        expect(answer.statusCode).toBe(200)
        expect(proxy.lost).toBe(times)
        expect(await authorizationsOf(id)).toEqual([null])
        expect((await userinfo(world, school, answer.json().access_token)).statusCode).toBe(200)
      })
    },
  )

  test('a refresh makes another child pair, and the child whose answer was lost changes nothing', async () => {
    const pair = await aPair(world, school, client, ada)
    await withProxy(async (proxied, proxy) => {
      proxy.loseAnswersTo('insert into token_pairs', 1)
      const answer = await refresh(proxied, school, client, pair.refresh_token)
      expect(answer.statusCode).toBe(200)
      expect(proxy.lost).toBe(1)
      const children = await childrenOf(idOf(pair))
      expect(children).toContain(idOf(answer.json()))
      expect((await userinfo(world, school, answer.json().access_token)).statusCode).toBe(200)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
    })
  })

  test('a first use is counted once, and the request is served', async () => {
    const pair = await aPair(world, school, client, ada)
    const child: Pair = (await refresh(world, school, client, pair.refresh_token)).json()
    await withProxy(async (proxied, proxy) => {
      proxy.loseAnswersTo('set first_used_at', 1)
      expect((await userinfo(proxied, school, child.access_token)).statusCode).toBe(200)
      expect(proxy.lost).toBe(1)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(400)
    })
  })

  test('a revocation is executed once and audited once', async () => {
    const pair = await aPair(world, school, client, ada)
    await withProxy(async (proxied, proxy) => {
      proxy.loseAnswersTo('set revoked_at', 1)
      expect((await revoke(proxied, school, client, pair.refresh_token)).statusCode).toBe(200)
      expect(proxy.lost).toBe(1)
      const entries = await school.db
        .from('audit_entries')
        .innerJoin('token_pairs', 'token_pairs.authorization_id', 'audit_entries.authorization_id')
        .where('token_pairs.id', '=', idOf(pair))
        .where('action', '=', 'token.revoked')
        .select('action')
        .execute()
      expect(entries).toHaveLength(1)
    })
  })

  test('a replayed code still revokes its tokens', async () => {
    const { code, verifier, id } = await aCode()
    const pair: Pair = (await exchange(world, school, client, code, verifier)).json()
    await ageUse(world, code)
    await withProxy(async (proxied, proxy) => {
      proxy.loseAnswersTo('update authorizations', 1)
      const answer = await exchange(proxied, school, client, code, verifier)
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
      expect(proxy.lost).toBe(1)
      expect(await authorizationsOf(id)).toEqual([expect.any(Date)])
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
    })
  })

  verifies(
    'token.database-away',
    'a connection that loses every answer is 503 with Retry-After, not a refusal of the credential',
    async () => {
      const pair = await aPair(world, school, client, ada)
      await withProxy(async (proxied, proxy) => {
        proxy.loseAnswersTo('insert into token_pairs', Number.POSITIVE_INFINITY)
        const answer = await refresh(proxied, school, client, pair.refresh_token)
        expect([answer.statusCode, answer.json().error]).toEqual([503, 'temporarily_unavailable'])
        expect(answer.headers['retry-after']).toMatch(/^\d+$/)
      })
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
    },
  )
})

const CODE_ROW = 'select from authorization_codes where id = $1 for update'
const AUTHORIZATION_ROW = 'select from authorizations where id = $1 for update'

test('the first try commits while the second one waits for it: that is no replay', async () => {
  const { code, verifier, id } = await aCode()
  await withProxy(async (proxied, proxy) => {
    const answer = await whileRowHeld(
      world.database.connection,
      { lock: CODE_ROW, id },
      () => exchange(proxied, school, client, code, verifier),
      async (waiting) => {
        await waiting(1)
        proxy.cut()
        await waiting(2)
      },
    )
    expect(answer.statusCode).toBe(200)
    expect(await authorizationsOf(id)).toEqual([null])
    expect((await userinfo(world, school, answer.json().access_token)).statusCode).toBe(200)
  })
})

describe('the backend is killed before the commit', () => {
  const kill = async (waiting: Waiting, holder: pg.Client) => {
    await holder.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [
      await waiting(1),
    ])
  }

  test('the second try makes the code exchange, once', async () => {
    const { code, verifier, id } = await aCode()
    const answer = await whileRowHeld(
      world.database.connection,
      { lock: CODE_ROW, id },
      () => exchange(world, school, client, code, verifier),
      kill,
    )
    expect(answer.statusCode).toBe(200)
    expect(await authorizationsOf(id)).toEqual([null])
    expect((await userinfo(world, school, answer.json().access_token)).statusCode).toBe(200)
  })

  test('a refresh makes exactly one child pair', async () => {
    const pair = await aPair(world, school, client, ada)
    const { authorization_id } = await world.database.db
      .selectFrom('token_pairs')
      .select('authorization_id')
      .where('id', '=', idOf(pair))
      .executeTakeFirstOrThrow()
    const answer = await whileRowHeld(
      world.database.connection,
      { lock: AUTHORIZATION_ROW, id: authorization_id },
      () => refresh(world, school, client, pair.refresh_token),
      kill,
    )
    expect(answer.statusCode).toBe(200)
    expect(await childrenOf(idOf(pair))).toEqual([idOf(answer.json())])
  })
})
