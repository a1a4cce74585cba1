import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { trustNoProxy } from '../../src/foundation/http/client-address.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { verifies } from '../spec/verifies.ts'
import type { Answer } from '../support/browser-like.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { aPair, exchange, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { aCode, getFrom } from '../support/oauth-world.ts'
import { aWorld, World } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })
const client = await world.aPublicClient(school)
const secretClient = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

/** No program listens on this port: connections are refused, as if PostgreSQL were down. */
const unreachable = openDatabase({
  connection: { ...world.database.connection, host: '127.0.0.1', port: 1 },
  poolSize: 2,
  statementTimeoutMs: 1000,
})
afterAll(() => unreachable.close())

/** A second process with the same schools that cannot reach the database. */
function aProcessWithoutDatabase(directory: SchoolDirectory): World {
  const context = { ...world.context, db: unreachable.db, directory }
  const logger = createLogger({ level: 'silent' })
  const app = buildApp({ context, logger, trust: trustNoProxy, readiness: async () => [] })
  whenFileIsDone(() => app.close())
  return new World(app, world.database, context)
}

const AT_A_SCHOOL = expect.stringMatching(/^http:.*\/docs\/errors#temporarily_unavailable$/)
/** Where the school is not known: a path of the host that was called. */
const AT_THE_HOST = '/docs/errors#temporarily_unavailable'

function expectTryAgain(answer: Answer, error_uri = AT_A_SCHOOL): void {
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: expect.stringMatching(/try again/i),
    error_uri,
  })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.headers).not.toHaveProperty('www-authenticate')
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers['cache-control']).toBe('no-store')
}

describe('while the database cannot be reached', () => {
  verifies(
    ['token.database-away', 'bearer.no-verdict'],
    'every endpoint answers "try again", none accepts or refuses a token, and nothing has changed afterwards',
    async () => {
      const pair = await aPair(world, school, client, ada)
      const secretPair = await aPair(world, school, secretClient, ada)
      const { code, pkce } = await aCode(world, school, client, ada)
      await getFrom(world, older, '/.well-known/openid-configuration')
      const offline = aProcessWithoutDatabase(world.context.directory)
      for (const answer of [
        await userinfo(offline, school, pair.access_token),
        await refresh(offline, school, client, pair.refresh_token),
        await refresh(offline, school, secretClient, secretPair.refresh_token, {
          client_secret: 'wrong',
        }),
        await exchange(offline, school, client, code, pkce.verifier),
        await revoke(offline, school, client, pair.refresh_token),
        await postForm(offline, school, '/api/oauth/register', { client_name: 'Claude' }),
        await postForm(offline, older, '/api/oauth/introspect', { token: 'x', client_id: 'y' }),
      ]) {
        expectTryAgain(answer)
      }
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
      expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
    },
  )

  test('cached metadata is served, and a malformed token is refused without the database', async () => {
    await getFrom(world, school, '/.well-known/oauth-authorization-server')
    const offline = aProcessWithoutDatabase(world.context.directory)
    const known = await getFrom(offline, school, '/.well-known/oauth-authorization-server')
    expect(known.statusCode).toBe(200)
    expect((await userinfo(offline, school, 'garbage')).statusCode).toBe(401)
  })

  test('a process that has not read the school yet also answers "try again", not "no such school"', async () => {
    const offline = aProcessWithoutDatabase(new SchoolDirectory(unreachable.db))
    expectTryAgain(
      await getFrom(offline, school, '/.well-known/oauth-authorization-server'),
      AT_THE_HOST,
    )
    expectTryAgain(await userinfo(offline, school, 'garbage'), AT_THE_HOST)
    expectTryAgain(await refresh(offline, school, client, 'garbage'), AT_THE_HOST)
  })
})

describe('a database that answers with an error', () => {
  test('is 503 without a challenge when a token is checked, and 500 without details elsewhere', async () => {
    const pair = await aPair(world, school, client, ada)
    await sql`alter table token_pairs rename to token_pairs_hidden`.execute(world.database.db)
    try {
      expectTryAgain(await userinfo(world, school, pair.access_token))
      const answer = await refresh(world, school, client, pair.refresh_token)
      expect([answer.statusCode, answer.json().error]).toEqual([500, 'server_error'])
      expect(answer.body).not.toContain('token_pairs')
    } finally {
      await sql`alter table token_pairs_hidden rename to token_pairs`.execute(world.database.db)
    }
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  })
})
