import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, type Pair, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { agePair, auditOf, isLive, pairRow } from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older', signing: 'none' })
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)
const start = () => aPair(world, school, client, ada)
const childOf = async (pair: Pair): Promise<Pair> =>
  (await refresh(world, school, client, pair.refresh_token)).json()

describe('a revocation', () => {
  verifies(
    [
      'pair.revoke.by-refresh-token',
      'pair.revoke.by-live-access-token',
      'pair.one-record',
      'revoke.token.either',
      'revoke.public.no-secret',
      'bearer.revocation.at-once',
    ],
    'by either token of a pair ends both at once',
    async () => {
      for (const kind of ['refresh_token', 'access_token'] as const) {
        const pair = await start()
        const answer = await revoke(world, school, client, pair[kind])
        expect(answer.statusCode).toBe(200)
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        const again = await refresh(world, school, client, pair.refresh_token)
        expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_grant'])
      }
    },
  )

  verifies(
    'pair.revoke.by-expired-access-token',
    'by an expired access token is 200 and ends nothing: the refresh token still works',
    async () => {
      const pair = await start()
      await agePair(world, pair, '2 hours')
      expect((await revoke(world, school, client, pair.access_token)).statusCode).toBe(200)
      expect(await isLive(world, pair)).toBe(true)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
    },
  )

  for (const age of ['2 hours', '89 days', '91 days']) {
    verifies(
      ['pair.revoke.access-expired', 'pair.revoke.by-refresh-token'],
      `by a refresh token ends the pair also when the access token has expired, after ${age}`,
      async () => {
        const pair = await start()
        await agePair(world, pair, age)
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        expect((await revoke(world, school, client, pair.refresh_token)).statusCode).toBe(200)
        expect((await pairRow(world, pair)).revoked_at).not.toBeNull()
        const again = await refresh(world, school, client, pair.refresh_token)
        expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_grant'])
      },
    )
  }

  verifies(
    ['pair.revoke.takes-ancestors', 'pair.revoke.spares-siblings'],
    'of an unused child also ends its live ancestors, never siblings or children',
    async () => {
      const a = await start()
      const b = await childOf(a)
      const c = await childOf(b)
      const sibling = await childOf(b)
      const grandchild = await childOf(c)
      await revoke(world, school, client, c.refresh_token)
      const alive = await Promise.all(
        [a, b, c, sibling, grandchild].map((pair) => isLive(world, pair)),
      )
      expect(alive).toEqual([false, false, false, true, true])
    },
  )

  test('twice is 200 twice and one audit row, with the person and authorization', async () => {
    const pair = await start()
    const rows = await auditOf(school, async () => {
      await revoke(world, school, client, pair.refresh_token)
      expect((await revoke(world, school, client, pair.refresh_token)).statusCode).toBe(200)
    })
    expect(rows).toEqual([
      {
        action: 'token.revoked',
        outcome: 'ok',
        client_id: client.clientId,
        actor_user_id: ada.id,
        authorization_id: (await pairRow(world, pair)).authorization_id,
        detail: { by: 'refresh_token' },
      },
    ])
  })
})

describe('a revocation of an unknown token is 200 and changes nothing', () => {
  verifies(
    ['revoke.cannot-act', 'revoke.own-only', 'revoke.foreign-token', 'trouble.any-client-revokes'],
    'garbage, a token of another client, a token of another school',
    async () => {
      const pair = await start()
      const thief = await world.aPublicClient(school)
      const stranger = await world.aPublicClient(older)
      const rows = await auditOf(school, async () => {
        for (const token of ['garbage', 'sg_rt_', `${pair.refresh_token}x`, 'ä', 'a b']) {
          expect((await revoke(world, school, client, token)).statusCode).toBe(200)
        }
        for (const token of [pair.access_token, pair.refresh_token]) {
          expect((await revoke(world, school, thief, token)).statusCode).toBe(200)
          expect((await revoke(world, older, stranger, token)).statusCode).toBe(200)
        }
      })
      expect(rows).toEqual([])
      expect(await isLive(world, pair)).toBe(true)
    },
  )

  verifies('revoke.hint.ignored', 'a wrong or unknown token_type_hint is ignored', async () => {
    for (const token_type_hint of ['access_token', 'saml', 'refresh_token']) {
      const pair = await start()
      const answer = await revoke(world, school, client, pair.refresh_token, { token_type_hint })
      expect(answer.statusCode).toBe(200)
      expect(await isLive(world, pair)).toBe(false)
    }
  })
})

describe('which clients may revoke', () => {
  const attempts: readonly [string, string | undefined][] = [
    ['without its secret', undefined],
    ['with an empty secret', ''],
    ['with a wrong secret', 'wrong'],
  ]
  for (const [how, client_secret] of attempts) {
    verifies(
      [
        'revoke.confidential.secret-missing',
        'revoke.newer.wrong-secret',
        'client.confidential.post-at-revoke',
      ],
      `a confidential client ${how} is 403 unauthorized_client, and its pair stays valid`,
      async () => {
        const pair = await aPair(world, school, keeper, ada)
        const rows = await auditOf(school, async () => {
          const answer = await revoke(world, school, keeper, pair.refresh_token, { client_secret })
          expect([answer.statusCode, answer.json().error]).toEqual([403, 'unauthorized_client'])
          expect(answer.json().error_description).toContain('client_secret')
        })
        expect(rows).toEqual([])
        expect(await isLive(world, pair)).toBe(true)
        expect((await revoke(world, school, keeper, pair.refresh_token)).statusCode).toBe(200)
        expect(await isLive(world, pair)).toBe(false)
      },
    )
  }

  verifies(
    ['revoke.basic', 'client.basic-refused'],
    'credentials in an Authorization header are 403 without a challenge, and the pair stays valid',
    async () => {
      const places = [
        { at: school, app: keeper, person: ada },
        { at: school, app: client, person: ada },
        {
          at: older,
          app: await world.aConfidentialClient(older),
          person: await world.aMember(older),
        },
      ]
      for (const { at, app, person } of places) {
        const pair = await aPair(world, at, app, person)
        const right = Buffer.from(`${app.clientId}:${app.secret ?? ''}`).toString('base64')
        const fields = { token: pair.refresh_token, client_id: app.clientId }
        const rows = await auditOf(at, async () => {
          for (const authorization of [`Basic ${right}`, 'basic', 'Bearer x', '']) {
            for (const client_secret of [undefined, app.secret]) {
              const answer = await postForm(
                world,
                at,
                '/api/oauth/revoke',
                { ...fields, client_secret },
                { authorization },
              )
              expect([answer.statusCode, answer.json().error]).toEqual([403, 'unauthorized_client'])
              expect(answer.json().error_description).toContain('form body')
              expect(answer.headers).not.toHaveProperty('www-authenticate')
            }
          }
        })
        expect(rows).toEqual([])
        expect(await isLive(world, pair)).toBe(true)
        expect((await revoke(world, at, app, pair.refresh_token)).statusCode).toBe(200)
      }
    },
  )

  verifies(
    ['older.revoke.two-fields', 'revoke.older.secret-optional'],
    'older origins require only token and client_id; a secret that is sent must be right',
    async () => {
      const app = await world.aConfidentialClient(older)
      const ben = await world.aMember(older)
      const pair = await aPair(world, older, app, ben)
      const wrong = await revoke(world, older, app, pair.refresh_token, { client_secret: 'wrong' })
      expect([wrong.statusCode, wrong.json().error]).toEqual([403, 'unauthorized_client'])
      expect(await isLive(world, pair)).toBe(true)
      const bare = await revoke(world, older, app, pair.refresh_token, { client_secret: undefined })
      expect(bare.statusCode).toBe(200)
      expect(await isLive(world, pair)).toBe(false)
    },
  )

  verifies(
    ['pair.revoke.by-refresh-token', 'revoke.newer.wrong-secret'],
    'a client that is switched off can still revoke its tokens, with its secret if it has one',
    async () => {
      for (const app of [
        await world.aPublicClient(school),
        await world.aConfidentialClient(school),
      ]) {
        const pair = await aPair(world, school, app, ada)
        await school.db
          .update('clients')
          .set({ disabled_at: new Date() })
          .where('client_id', '=', app.clientId)
          .execute()
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        const wrong = await revoke(world, school, app, pair.refresh_token, { client_secret: 'no' })
        expect([401, 403]).toContain(wrong.statusCode)
        expect(await isLive(world, pair)).toBe(true)
        expect((await revoke(world, school, app, pair.refresh_token)).statusCode).toBe(200)
        expect(await isLive(world, pair)).toBe(false)
      }
    },
  )

  verifies(
    ['revoke.token.required', 'revoke.client-id.required'],
    'a request without token or client_id is invalid_request; an unknown client is invalid_client',
    async () => {
      const pair = await start()
      const path = '/api/oauth/revoke'
      const noToken = await postForm(world, school, path, { client_id: client.clientId })
      expect([noToken.statusCode, noToken.json().error]).toEqual([400, 'invalid_request'])
      const noClient = await postForm(world, school, path, { token: pair.refresh_token })
      expect([noClient.statusCode, noClient.json().error]).toEqual([400, 'invalid_request'])
      const overrides = { client_id: 'unknown' }
      const unknown = await revoke(world, school, client, pair.refresh_token, overrides)
      expect([unknown.statusCode, unknown.json().error]).toEqual([401, 'invalid_client'])
      const secret = { client_secret: 'x' }
      const posing = await revoke(world, school, client, pair.refresh_token, secret)
      expect([posing.statusCode, posing.json().error]).toEqual([401, 'invalid_client'])
      expect(await isLive(world, pair)).toBe(true)
    },
  )
})
