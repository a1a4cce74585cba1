import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, postForm, refresh, userinfo } from '../support/client-like.ts'
import {
  aCode,
  agePair,
  anOperatorPair,
  auditOf,
  CLAUDE,
  deletePerson,
  isLive,
  pairIdOf,
  pairRow,
  removeOwner,
  removeSchool,
  setRoles,
} from '../support/oauth-world.ts'
import { sharedWorld, type TestClient } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const elsewhere = await world.aSchool()
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

const pairOf = (app: TestClient = client) => aPair(world, school, app, ada)

describe('a good refresh', () => {
  verifies(
    [
      'pair.refresh.silent',
      'token.response.member-fields-stable',
      'token.response.id-token.code-only',
      'token.response.school-id.copied',
      'oidcc-refresh-token',
      'fapi2-security-profile-final-refresh-token',
    ],
    'gives a new pair with the same member fields and no ID token',
    async () => {
      const old = await pairOf()
      const answer = await refresh(world, school, client, old.refresh_token)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['cache-control']).toBe('no-store')
      const young = answer.json()
      expect(Object.keys(young).sort()).toEqual(
        Object.keys(old)
          .filter((name) => name !== 'id_token')
          .sort(),
      )
      expect(young).toMatchObject({
        token_type: 'Bearer',
        expires_in: 7200,
        scope: old.scope,
        school_id: school.id,
        school_subdomain: school.subdomain,
        created_at: expect.any(Number),
      })
      expect(young.access_token).not.toBe(old.access_token)
      expect(young.refresh_token).not.toBe(old.refresh_token)
    },
  )

  verifies(
    ['pair.refresh.old-stays-live', 'trouble.lost-refresh-response', 'pair.refresh.retry'],
    'leaves the old pair valid, so that a client can repeat it if the answer was lost',
    async () => {
      const old = await pairOf()
      const lost = (await refresh(world, school, client, old.refresh_token)).json()
      const lostToo = (await refresh(world, school, client, old.refresh_token)).json()
      const kept = (await refresh(world, school, client, old.refresh_token)).json()
      expect((await userinfo(world, school, old.access_token)).statusCode).toBe(200)
      expect((await userinfo(world, school, kept.access_token)).statusCode).toBe(200)
      const tooLate = await refresh(world, school, client, old.refresh_token)
      expect([tooLate.statusCode, tooLate.json().error]).toEqual([400, 'invalid_grant'])
      expect([await isLive(world, lost), await isLive(world, lostToo)]).toEqual([true, true])
    },
  )

  verifies(
    ['token.refresh.narrow-scope', 'token.refresh.never-wider', 'rfc9700.refresh.bound'],
    'may narrow the scope of the new access token, and never exceeds what the person agreed to',
    async () => {
      const old = await aPair(world, school, client, ada, { scope: 'openid email account:read' })
      const narrow = (
        await refresh(world, school, client, old.refresh_token, { scope: 'openid account:read' })
      ).json()
      expect(narrow.scope).toBe('account:read openid')
      for (const scope of ['openid account:write', 'profile', 'account:read account:write']) {
        const wider = await refresh(world, school, client, narrow.refresh_token, { scope })
        expect([wider.statusCode, wider.json().error]).toEqual([400, 'invalid_scope'])
      }
      const again = await refresh(world, school, client, narrow.refresh_token)
      expect(again.json().scope).toBe(old.scope)
    },
  )

  test('an unknown, empty or malformed scope is invalid_scope; repeated scopes count once', async () => {
    const old = await pairOf()
    for (const scope of ['courses:read', 'nonsense', ' ', 'open"id', 'openid, email']) {
      const answer = await refresh(world, school, client, old.refresh_token, { scope })
      expect([scope, answer.statusCode, answer.json().error]).toEqual([scope, 400, 'invalid_scope'])
    }
    const scope = '  openid openid  '
    const folded = await refresh(world, school, client, old.refresh_token, { scope })
    expect(folded.json().scope).toBe('openid')
  })

  verifies(
    ['pair.unbound.copied-null', 'binding.unbound.reauthorize'],
    'a member pair without school_id gets none by refresh; a new authorization has one',
    async () => {
      const old = await pairOf()
      await removeSchool(world, old)
      let token = old.refresh_token
      for (let generation = 0; generation < 3; generation++) {
        const young = (await refresh(world, school, client, token)).json()
        expect(young).not.toHaveProperty('school_id')
        expect(young).toMatchObject({ school_subdomain: school.subdomain })
        expect((await pairRow(world, young)).bound_school_id).toBeNull()
        token = young.refresh_token
      }
      expect((await pairOf()).school_id).toBe(school.id)
    },
  )

  verifies(
    [
      'trouble.stale-generation',
      'trouble.shared-refresh-token',
      'trouble.two-processes-kill-family',
    ],
    'several processes can use one stored refresh token, even an older one',
    async () => {
      const stored = await pairOf()
      const one = (await refresh(world, school, client, stored.refresh_token)).json()
      const two = (await refresh(world, school, client, stored.refresh_token)).json()
      const grandchild = (await refresh(world, school, client, one.refresh_token)).json()
      const stale = await refresh(world, school, client, stored.refresh_token)
      expect(stale.statusCode).toBe(200)
      expect((await userinfo(world, school, two.access_token)).statusCode).toBe(200)
      expect((await userinfo(world, school, grandchild.access_token)).statusCode).toBe(200)
      expect((await userinfo(world, school, two.access_token)).statusCode).toBe(200)
    },
  )
})

describe('a refused refresh changes nothing', () => {
  const wrong: readonly [string, Record<string, string | undefined>, number, string][] = [
    ['no refresh_token', { refresh_token: undefined }, 400, 'invalid_request'],
    ['no client_id', { client_id: undefined }, 400, 'invalid_request'],
    ['no resource', { resource: undefined }, 400, 'invalid_request'],
    ['the resource of another school', { resource: elsewhere.origin }, 400, 'invalid_target'],
    ['garbage for a token', { refresh_token: 'garbage' }, 400, 'invalid_grant'],
    ['an unknown client', { client_id: 'unknown' }, 401, 'invalid_client'],
    ['a secret from a public client', { client_secret: 'x' }, 401, 'invalid_client'],
  ]
  for (const [what, overrides, status, error] of wrong) {
    verifies(
      [
        'token.refresh-token.required',
        'token.resource.on-refresh',
        'token.resource.missing',
        'token.resource.other',
      ],
      `${what} is ${status} ${error}`,
      async () => {
        const old = await pairOf()
        const answer = await refresh(world, school, client, old.refresh_token, overrides)
        expect(answer.statusCode).toBe(status)
        expect(answer.json()).toEqual({
          error,
          error_description: expect.stringMatching(/\S/),
          error_uri: expect.stringMatching(`#${error}$`),
        })
        expect((await refresh(world, school, client, old.refresh_token)).statusCode).toBe(200)
      },
    )
  }

  verifies(
    ['client.secret.wrong', 'token.secret.confidential'],
    'a confidential client needs its secret: missing or wrong is 401',
    async () => {
      const old = await pairOf(keeper)
      for (const client_secret of [undefined, '', 'wrong']) {
        const answer = await refresh(world, school, keeper, old.refresh_token, { client_secret })
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
      }
      expect((await refresh(world, school, keeper, old.refresh_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'token.refresh.bound-to-client',
    'a stolen refresh token gets other clients the same answer as garbage',
    async () => {
      const old = await pairOf()
      for (const thief of [await world.aPublicClient(school), keeper]) {
        const stolen = await refresh(world, school, thief, old.refresh_token)
        const garbage = await refresh(world, school, thief, 'garbage')
        expect([stolen.statusCode, stolen.json().error]).toEqual([400, 'invalid_grant'])
        expect(stolen.body).toBe(garbage.body)
      }
      expect(await isLive(world, old)).toBe(true)
    },
  )

  test('an access token and a refresh token of another school are refused', async () => {
    const old = await pairOf()
    const access = await refresh(world, school, client, old.access_token)
    expect(access.json().error).toBe('invalid_grant')
    const namesake = await world.aPublicClient(elsewhere)
    const foreign = await refresh(world, elsewhere, namesake, old.refresh_token)
    expect([foreign.statusCode, foreign.json().error]).toEqual([400, 'invalid_grant'])
  })

  test('a token with one changed character is refused', async () => {
    const { refresh_token } = await pairOf()
    const at = 40
    const swapped =
      refresh_token.slice(0, at) +
      (refresh_token[at] === 'A' ? 'B' : 'A') +
      refresh_token.slice(at + 1)
    const answer = await refresh(world, school, client, swapped)
    expect(answer.json().error).toBe('invalid_grant')
  })

  verifies(
    ['pair.refresh.idle-expiry', 'rfc9700.refresh.idle-expiry', 'trouble.refresh-near-expiry'],
    'a refresh token expires after ninety days without use; a minute earlier it still works',
    async () => {
      const old = await pairOf()
      await agePair(world, old, '89 days 23 hours 59 minutes')
      const young = (await refresh(world, school, client, old.refresh_token)).json()
      expect(young.access_token).toBeDefined()
      await agePair(world, old, '1 minute')
      const dead = await refresh(world, school, client, old.refresh_token)
      expect([dead.statusCode, dead.json().error]).toEqual([400, 'invalid_grant'])
      expect((await refresh(world, school, client, young.refresh_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'token.member-left',
    'a refresh is invalid_grant if the person has no role at the school or was deleted',
    async () => {
      const leaver = await world.aMember(school)
      const old = await aPair(world, school, client, leaver)
      await setRoles(school, leaver, [])
      const left = await refresh(world, school, client, old.refresh_token)
      expect([left.statusCode, left.json().error]).toEqual([400, 'invalid_grant'])
      await setRoles(school, leaver, ['student'])
      expect((await refresh(world, school, client, old.refresh_token)).statusCode).toBe(200)
      await deletePerson(world, leaver)
      const gone = await refresh(world, school, client, old.refresh_token)
      expect([gone.statusCode, gone.json().error]).toEqual([400, 'invalid_grant'])
    },
  )

  test('a demoted owner cannot refresh an operator pair', async () => {
    const owner = await world.aMember(school, ['owner'])
    const pair = await anOperatorPair(world, school, owner)
    await setRoles(school, owner, ['student'])
    const answer = await refresh(world, school, CLAUDE, pair.refresh_token)
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
  })

  test('a record without a resource owner cannot be refreshed, and the answer says why', async () => {
    const old = await pairOf()
    await removeOwner(world, old)
    const answer = await refresh(world, school, client, old.refresh_token)
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
    expect(answer.json().error_description).toContain('not bound to a user')
  })

  verifies(
    ['pair.live.both-rows', 'pair.end-authorization.at-once'],
    'after an authorization ends, all its pairs are refused, also new children',
    async () => {
      const old = await pairOf()
      const child = (await refresh(world, school, client, old.refresh_token)).json()
      const { authorization_id } = await pairRow(world, old)
      await school.db
        .update('authorizations')
        .set({ revoked_at: new Date() })
        .where('id', '=', authorization_id)
        .execute()
      for (const pair of [old, child]) {
        expect((await pairRow(world, pair)).revoked_at).toBeNull()
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        const answer = await refresh(world, school, client, pair.refresh_token)
        expect(answer.json().error).toBe('invalid_grant')
      }
    },
  )

  test('a client that is switched off or deleted cannot refresh', async () => {
    for (const column of ['disabled_at', 'deleted_at'] as const) {
      const doomed = await world.aPublicClient(school)
      const old = await aPair(world, school, doomed, ada)
      await school.db
        .update('clients')
        .set({ [column]: new Date() })
        .where('client_id', '=', doomed.clientId)
        .execute()
      const answer = await refresh(world, school, doomed, old.refresh_token)
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
      expect((await userinfo(world, school, old.access_token)).statusCode).toBe(401)
    }
  })
})

describe('replay of a revoked refresh token', () => {
  verifies(
    ['pair.replay.invalid-grant', 'rfc9700.refresh.rotation'],
    'is invalid_grant and recorded; other pairs stay valid',
    async () => {
      const old = await pairOf()
      const young = (await refresh(world, school, client, old.refresh_token)).json()
      await userinfo(world, school, young.access_token)
      const rows = await auditOf(school, async () => {
        const answer = await refresh(world, school, client, old.refresh_token)
        expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
      })
      expect(rows[0]).toMatchObject({
        action: 'token.replayed',
        outcome: 'invalid_grant',
        client_id: client.clientId,
        actor_user_id: ada.id,
        authorization_id: (await pairRow(world, old)).authorization_id,
      })
      expect(await isLive(world, young)).toBe(true)
      expect((await refresh(world, school, client, young.refresh_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'pair.replay.school-switch',
    'ends the whole authorization, and only that one, at a school with this setting',
    async () => {
      const strict = await world.aSchool({ endAuthorizationOnReplay: true })
      const app = await world.aPublicClient(strict)
      const ben = await world.aMember(strict)
      const bystander = await aPair(world, strict, app, ben)
      const old = await aPair(world, strict, app, ben)
      const young = (await refresh(world, strict, app, old.refresh_token)).json()
      await userinfo(world, strict, young.access_token)
      expect(await isLive(world, young)).toBe(true)
      const thief = await world.aPublicClient(strict)
      await refresh(world, strict, thief, old.refresh_token)
      expect(await isLive(world, young)).toBe(true)
      await refresh(world, strict, app, old.refresh_token)
      expect(await isLive(world, young)).toBe(false)
      expect(await isLive(world, bystander)).toBe(true)
    },
  )
})

test('the database stores tokens only as hashes', async () => {
  const { code, pkce } = await aCode(world, school, keeper, ada)
  const pair = (await exchange(world, school, keeper, code, pkce.verifier)).json()
  const tables = [
    'token_pairs',
    'authorization_codes',
    'authorizations',
    'clients',
    'audit_entries',
  ]
  for (const table of tables) {
    const { rows } = await sql<{ text: string }>`
      select coalesce(string_agg(t::text, ' '), '') as text from ${sql.table(table)} t`.execute(
      world.database.db,
    )
    const secrets = [pair.access_token, pair.refresh_token, code, keeper.secret ?? '']
    for (const secret of secrets) {
      expect(rows[0]?.text).not.toContain(secret)
      expect(rows[0]?.text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  }
})

verifies(
  ['pair.token.format', 'pair.token.hashed', 'client.secret.hashed'],
  'a token has the id of its row, 32 random bytes and a checksum, and is stored as SHA-256',
  async () => {
    const pair = await pairOf(keeper)
    expect(pair.access_token).toMatch(/^sg_at_[A-Za-z0-9_-]{64}[0-9a-f]{8}$/)
    expect(pair.refresh_token).toMatch(/^sg_rt_[A-Za-z0-9_-]{64}[0-9a-f]{8}$/)
    const row = await pairRow(world, pair)
    expect(row.id).toBe(pairIdOf(pair))
    expect(row.access_hash).toEqual(sha256(pair.access_token))
    expect(row.refresh_hash).toEqual(sha256(pair.refresh_token))
    const { secret_hash } = await school.db
      .from('clients')
      .select('secret_hash')
      .where('client_id', '=', keeper.clientId)
      .executeTakeFirstOrThrow()
    expect(secret_hash).toEqual(sha256(keeper.secret ?? ''))
  },
)

verifies('token.grant-type.two', 'refresh_token is one of two grant types', async () => {
  const old = await pairOf()
  const grant_type = 'refresh'
  const answer = await postForm(world, school, '/api/oauth/token', {
    grant_type,
    refresh_token: old.refresh_token,
    client_id: client.clientId,
    resource: school.origin,
  })
  expect([answer.statusCode, answer.json().error]).toEqual([400, 'unsupported_grant_type'])
})
