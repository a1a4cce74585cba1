import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import type { Answer } from '../support/browser-like.ts'
import { aPair, exchange, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { onCuttableLine } from '../support/cuttable-line.ts'
import { aCode, getFrom, isLive, pairRow } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const { frail, line } = await onCuttableLine(world)
const school = await world.aSchool()
const unseen = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

function expectTryAgain(answer: Answer): void {
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: expect.stringMatching(/try again/i),
  })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.headers).not.toHaveProperty('www-authenticate')
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers['cache-control']).toBe('no-store')
}

/** Until the pool has noticed which of its connections are dead. */
async function awake(): Promise<void> {
  for (;;) {
    const answer = await postForm(frail, school, '/api/oauth/register', { client_name: 'Claude' })
    if (answer.statusCode === 201) return
  }
}

describe('while the line to the database is cut', () => {
  verifies(
    ['token.database-away', 'bearer.no-verdict'],
    'every endpoint says try again, none gives a verdict, and afterwards everything is as it was',
    async () => {
      const pair = await aPair(frail, school, client, ada)
      const kept = await aPair(frail, school, keeper, ada)
      const fresh = await aCode(frail, school, client, ada)
      await getFrom(frail, older, '/.well-known/openid-configuration')
      await line.cut()
      for (const answer of [
        await userinfo(frail, school, pair.access_token),
        await refresh(frail, school, client, pair.refresh_token),
        await refresh(frail, school, keeper, kept.refresh_token, { client_secret: 'wrong' }),
        await exchange(frail, school, client, fresh.code, fresh.pkce.verifier),
        await revoke(frail, school, client, pair.refresh_token),
        await postForm(frail, school, '/api/oauth/register', { client_name: 'Claude' }),
        await postForm(frail, older, '/api/oauth/introspect', { token: 'x', client_id: 'y' }),
        await userinfo(frail, unseen, pair.access_token),
        await getFrom(frail, unseen, '/.well-known/oauth-authorization-server'),
      ]) {
        expectTryAgain(answer)
      }
      // What a school says about itself is remembered, and garbage needs no database to be refused.
      const known = await getFrom(frail, school, '/.well-known/oauth-authorization-server')
      expect(known.statusCode).toBe(200)
      expect((await userinfo(frail, school, 'garbage')).statusCode).toBe(401)

      await line.mend()
      await awake()
      expect((await userinfo(frail, school, pair.access_token)).statusCode).toBe(200)
      expect((await refresh(frail, school, client, pair.refresh_token)).statusCode).toBe(200)
      const { code, pkce } = fresh
      expect((await exchange(frail, school, client, code, pkce.verifier)).statusCode).toBe(200)
    },
  )
})

describe('an answer of the database that got lost after the commit', () => {
  test('a code exchange recognises its own first try and is not taken for a replay', async () => {
    const { code, pkce } = await aCode(frail, school, client, ada)
    await awake()
    line.loseNextAnswer()
    const answer = await exchange(frail, school, client, code, pkce.verifier)
    expect(answer.statusCode).toBe(200)
    const pair = answer.json()
    expect(pair.id_token).toBeDefined()
    expect(await isLive(world, pair)).toBe(true)
    const { authorization_id } = await pairRow(world, pair)
    const { rows } = await sql<{ pairs: number; issued: number }>`
      select (select count(*)::int from token_pairs where authorization_id = ${authorization_id}) as pairs,
        (select count(*)::int from audit_entries
         where authorization_id = ${authorization_id} and action = 'token.issued') as issued`.execute(
      world.database.db,
    )
    expect(rows).toEqual([{ pairs: 1, issued: 1 }])
    expect((await userinfo(frail, school, pair.access_token)).statusCode).toBe(200)
    const again = await exchange(frail, school, client, code, pkce.verifier)
    expect(again.json().error).toBe('invalid_grant')
    expect(await isLive(world, pair)).toBe(false)
  })

  test('a refresh gives another child, and nobody is signed out', async () => {
    const pair = await aPair(frail, school, client, ada)
    await awake()
    line.loseNextAnswer()
    const answer = await refresh(frail, school, client, pair.refresh_token)
    expect(answer.statusCode).toBe(200)
    expect((await userinfo(frail, school, answer.json().access_token)).statusCode).toBe(200)
  })

  test('a token check asks again', async () => {
    const pair = await aPair(frail, school, client, ada)
    await userinfo(frail, school, pair.access_token)
    line.loseNextAnswer()
    expect((await userinfo(frail, school, pair.access_token)).statusCode).toBe(200)
  })
})

describe('a fault that is not an absence', () => {
  test('while a token is judged is still no verdict: 503 without a challenge', async () => {
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
