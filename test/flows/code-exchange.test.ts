import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import {
  aCode,
  ageCode,
  anOperatorPair,
  auditOf,
  CLAUDE,
  codeIdOf,
  deletePerson,
  getFrom,
  isLive,
  setRoles,
} from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const elsewhere = await world.aSchool()
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

const UNTOUCHED = { consumed_at: null, pair_id: null }
const codeRow = (code: string) =>
  school.at
    .from('authorization_codes')
    .select(['consumed_at', 'pair_id'])
    .where('id', '=', codeIdOf(code))
    .executeTakeFirstOrThrow()

describe('a good exchange', () => {
  verifies(
    [
      'token.response.standard-fields',
      'token.response.school-id',
      'token.response.school-subdomain',
      'token.response.created-at',
      'pair.access.two-hours',
      'token.no-store',
      'oauth.bodies.json-out',
      'oauth.bodies.form-in',
      'client.id.identifies',
      'flow.public.method-none',
      'client.public.no-secret',
      'oidcc-ensure-request-with-valid-pkce-succeeds',
    ],
    'a public member client gets the standard fields and the three of member tokens',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const before = Math.floor(Date.now() / 1000) - 1
      const answer = await exchange(world, school, client, code, pkce.verifier)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers.pragma).toBe('no-cache')
      const body = answer.json()
      expect(Object.keys(body).sort()).toEqual([
        'access_token',
        'created_at',
        'expires_in',
        'id_token',
        'refresh_token',
        'school_id',
        'school_subdomain',
        'scope',
        'token_type',
      ])
      expect(body).toMatchObject({
        token_type: 'Bearer',
        expires_in: 7200,
        school_id: school.id,
        school_subdomain: school.subdomain,
      })
      expect(body.scope.split(' ').sort()).toEqual([
        'account:read',
        'account:write',
        'email',
        'openid',
        'profile',
      ])
      expect(Number.isInteger(body.created_at)).toBe(true)
      expect(body.created_at).toBeGreaterThanOrEqual(before)
    },
  )

  verifies(
    ['flow.confidential.post', 'client.confidential.post-at-token'],
    'a confidential client posts its secret',
    async () => {
      const { code, pkce } = await aCode(world, school, keeper, ada)
      expect((await exchange(world, school, keeper, code, pkce.verifier)).statusCode).toBe(200)
    },
  )

  verifies(
    [
      'token.response.operator-without',
      'pair.operator.two-hours',
      'flow.operator.same-steps',
      'register.operator-audience',
      'client.installation-wide.local-row',
    ],
    'an operator client goes the same way and gets none of the member fields, resource sent or not',
    async () => {
      const owner = await world.aMember(school, ['owner'])
      for (const parameters of [{ resource: undefined }, {}]) {
        const { code, pkce } = await aCode(world, school, CLAUDE, owner, {
          scope: 'openid school:read',
          parameters,
        })
        const answer = await exchange(world, school, CLAUDE, code, pkce.verifier, parameters)
        expect(answer.statusCode).toBe(200)
        const first = answer.json()
        const second = (
          await refresh(world, school, CLAUDE, first.refresh_token, parameters)
        ).json()
        for (const body of [first, second]) {
          expect(body.expires_in).toBe(7200)
          for (const name of ['school_id', 'school_subdomain', 'created_at']) {
            expect(body).not.toHaveProperty(name)
          }
        }
      }
      const row = await school.at
        .from('clients')
        .select(['kind', 'audience'])
        .where('client_id', '=', 'claude')
        .executeTakeFirst()
      expect(row).toEqual({ kind: 'vendor', audience: 'operator' })
    },
  )

  verifies(
    ['pair.authorize.adds', 'pair.devices.independent', 'pair.consent.no-evidence'],
    'authorizing again adds a pair and leaves every earlier one alive',
    async () => {
      const phone = await aPair(world, school, client, ada)
      const tablet = await aPair(world, school, client, ada)
      const other = await aPair(world, school, keeper, ada)
      for (const pair of [phone, tablet, other]) {
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      }
    },
  )

  test('other names of the origin as resource are taken for the origin', async () => {
    for (const resource of [`${school.origin}/`, `${school.origin}/mcp`, school.origin]) {
      const { code, pkce } = await aCode(world, school, client, ada, { parameters: { resource } })
      const answer = await exchange(world, school, client, code, pkce.verifier)
      expect(answer.json().school_id).toBe(school.id)
    }
  })
})

describe('a refused exchange leaves the code as it was', () => {
  const wrong: readonly [string, Record<string, string | undefined>, string][] = [
    ['no code', { code: undefined }, 'invalid_request'],
    ['an empty code', { code: '' }, 'invalid_request'],
    ['a garbage code', { code: 'garbage' }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1/other' }, 'invalid_grant'],
    [
      'a redirect_uri on another port',
      { redirect_uri: 'http://127.0.0.1:81/callback' },
      'invalid_grant',
    ],
    ['no verifier', { code_verifier: undefined }, 'invalid_request'],
    ['a wrong verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
    ['a verifier too short', { code_verifier: 'abc' }, 'invalid_grant'],
    ['no resource', { resource: undefined }, 'invalid_request'],
    ['the resource of another school', { resource: elsewhere.origin }, 'invalid_target'],
    ['a resource below the origin', { resource: `${school.origin}/courses` }, 'invalid_target'],
    ['no grant_type', { grant_type: undefined }, 'invalid_request'],
    ['no client_id', { client_id: undefined }, 'invalid_request'],
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    ['a secret from a public client', { client_secret: 'x' }, 'invalid_client'],
  ]
  for (const [what, overrides, error] of wrong) {
    verifies(
      [
        'token.refused-keeps-code',
        'token.code.required',
        'token.redirect-uri.required',
        'token.redirect-uri.same',
        'token.client-id.required',
        'token.verifier.required',
        'token.verifier.matches',
        'token.resource.repeated',
        'token.resource.missing',
        'token.resource.other',
        'token.grant-type.required',
        'errors.oauth.shape',
        'trouble.code-burnt-early',
        'trouble.code-checked-late',
        'rfc9700.pkce.enforced',
        'fapi2-security-profile-final-ensure-pkce-code-verifier-required',
        'fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected',
      ],
      `${what} is ${error}, and the right request succeeds afterwards`,
      async () => {
        const { code, pkce } = await aCode(world, school, client, ada)
        const answer = await exchange(world, school, client, code, pkce.verifier, overrides)
        expect(answer.json()).toEqual({ error, error_description: expect.stringMatching(/\S/) })
        expect(answer.statusCode).toBe(error === 'invalid_client' ? 401 : 400)
        expect(answer.headers['cache-control']).toBe('no-store')
        expect(await codeRow(code)).toEqual(UNTOUCHED)
        expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
      },
    )
  }

  const badSecrets: readonly [string, string | undefined][] = [
    ['no secret', undefined],
    ['an empty secret', ''],
    ['a wrong secret', 'wrong'],
    ['the hash of the secret', 'f'.repeat(64)],
  ]
  for (const [what, client_secret] of badSecrets) {
    verifies(
      [
        'client.secret.wrong',
        'client.confidential.none-refused',
        'errors.token.secret-missing',
        'token.secret.confidential',
      ],
      `a confidential client with ${what} is 401 invalid_client, and its code survives`,
      async () => {
        const { code, pkce } = await aCode(world, school, keeper, ada)
        const overrides = { client_secret }
        const answer = await exchange(world, school, keeper, code, pkce.verifier, overrides)
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
        expect((await exchange(world, school, keeper, code, pkce.verifier)).statusCode).toBe(200)
      },
    )
  }

  test('an unknown client, a missing and a wrong secret are told apart by no word', async () => {
    const { code, pkce } = await aCode(world, school, keeper, ada)
    const bodies = await Promise.all(
      [{ client_id: 'nobody' }, { client_secret: undefined }, { client_secret: 'x' }].map(
        async (overrides) =>
          (await exchange(world, school, keeper, code, pkce.verifier, overrides)).body,
      ),
    )
    expect(new Set(bodies).size).toBe(1)
  })

  verifies(
    [
      'token.code.bound-to-client',
      'rfc9700.code-injection',
      'fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client',
    ],
    'a stolen code is unknown to every other client, even with its verifier',
    async () => {
      const thief = await world.aPublicClient(school)
      const { code, pkce } = await aCode(world, school, client, ada)
      const stolen = await exchange(world, school, thief, code, pkce.verifier)
      const garbage = await exchange(world, school, thief, 'garbage', pkce.verifier)
      expect([stolen.statusCode, stolen.body]).toEqual([400, garbage.body])
      expect(stolen.json().error).toBe('invalid_grant')
      expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
    },
  )

  verifies(
    ['token.code.other-school', 'client.foreign-school.unknown', 'client.keyed-by-school'],
    'a code means nothing at another school, not even to a client of the same name there',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const resource = elsewhere.origin
      const stranger = await exchange(world, elsewhere, client, code, pkce.verifier, { resource })
      expect([stranger.statusCode, stranger.json().error]).toEqual([401, 'invalid_client'])
      await elsewhere.at
        .insert('clients', {
          client_id: client.clientId,
          kind: 'application',
          audience: 'member',
          name: 'Namesake',
          redirect_uris: [client.redirectUri],
          scopes: ['openid'],
        })
        .execute()
      const namesake = await exchange(world, elsewhere, client, code, pkce.verifier, { resource })
      expect([namesake.statusCode, namesake.json().error]).toEqual([400, 'invalid_grant'])
      expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
    },
  )

  verifies(
    [
      'token.code.expired',
      'authorize.code.lifetime',
      'rfc9700.history',
      'fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code',
    ],
    'a code older than five minutes is invalid_grant',
    async () => {
      const late = await aCode(world, school, client, ada)
      await ageCode(world, late.code, '5 minutes')
      const answer = await exchange(world, school, client, late.code, late.pkce.verifier)
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
      const justInTime = await aCode(world, school, client, ada)
      await ageCode(world, justInTime.code, '4 minutes 30 seconds')
      const fine = await exchange(world, school, client, justInTime.code, justInTime.pkce.verifier)
      expect(fine.statusCode).toBe(200)
    },
  )

  test('a person whose role is gone, or who is gone, gets nothing for a code given before', async () => {
    const leaver = await world.aMember(school)
    const first = await aCode(world, school, client, leaver)
    await setRoles(school, leaver, [])
    const left = await exchange(world, school, client, first.code, first.pkce.verifier)
    expect([left.statusCode, left.json().error]).toEqual([400, 'invalid_grant'])
    await setRoles(school, leaver, ['student'])
    await deletePerson(world, leaver)
    const gone = await exchange(world, school, client, first.code, first.pkce.verifier)
    expect([gone.statusCode, gone.json().error]).toEqual([400, 'invalid_grant'])
    expect(await codeRow(first.code)).toEqual(UNTOUCHED)
  })

  test('an operator demoted between consent and exchange gets nothing', async () => {
    const owner = await world.aMember(school, ['owner'])
    const { code, pkce } = await aCode(world, school, CLAUDE, owner, { scope: 'school:read' })
    await setRoles(school, owner, ['student'])
    const answer = await exchange(world, school, CLAUDE, code, pkce.verifier)
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
  })

  test('a client switched off between consent and exchange is invalid_client', async () => {
    const doomed = await world.aPublicClient(school)
    const { code, pkce } = await aCode(world, school, doomed, ada)
    await school.at
      .update('clients')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', doomed.clientId)
      .execute()
    const answer = await exchange(world, school, doomed, code, pkce.verifier)
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
  })

  test('a signing key that does not open fails the exchange before the code is used up', async () => {
    const broken = await world.aSchool()
    await broken.at
      .update('signing_keys')
      .set({ sealed_private_key: Buffer.alloc(80) })
      .execute()
    world.context.directory.forget()
    const app = await world.aPublicClient(broken)
    const { code, pkce } = await aCode(world, broken, app, await world.aMember(broken))
    const answer = await exchange(world, broken, app, code, pkce.verifier)
    expect([answer.statusCode, answer.json().error]).toEqual([500, 'server_error'])
    expect(answer.body).not.toContain('SCHOOLGATE_SECRET')
    const row = await broken.at
      .from('authorization_codes')
      .select('consumed_at')
      .executeTakeFirstOrThrow()
    expect(row.consumed_at).toBeNull()
  })
})

describe('a replayed code', () => {
  verifies(
    [
      'token.code.replay-ends-authorization',
      'oidcc-codereuse',
      'oidcc-codereuse-30seconds',
      'fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second',
    ],
    'is invalid_grant, and everything its first use gave is revoked although the request fails',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const bystander = await aPair(world, school, client, ada)
      const first = (await exchange(world, school, client, code, pkce.verifier)).json()
      const child = (await refresh(world, school, client, first.refresh_token)).json()
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

  test('without proof of possession the alarm stays silent: nobody can sign others out by it', async () => {
    const thief = await world.aPublicClient(school)
    const { code, pkce } = await aCode(world, school, client, ada)
    const pair = (await exchange(world, school, client, code, pkce.verifier)).json()
    await exchange(world, school, client, code, 'b'.repeat(43))
    await exchange(world, school, client, code, pkce.verifier, { redirect_uri: 'http://x.test/' })
    await exchange(world, school, thief, code, pkce.verifier)
    await exchange(world, school, client, code, pkce.verifier, { client_id: 'nobody' })
    expect(await isLive(world, pair)).toBe(true)
  })

  test('is noted with the person and the authorization it ended', async () => {
    const { code, pkce } = await aCode(world, school, keeper, ada)
    await exchange(world, school, keeper, code, pkce.verifier)
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

describe('methods and headers', () => {
  test('another method is a JSON 405 that names the right one', async () => {
    for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/register']) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'] as const) {
        const answer = await getFrom(world, school, path, { accept: 'text/html' }, method)
        expect([path, method, answer.statusCode]).toEqual([path, method, 405])
        expect(answer.headers.allow).toBe('POST')
        expect(answer.json()).toMatchObject({ error: 'invalid_request' })
      }
    }
    const answer = await getFrom(world, school, '/api/oauth/userinfo', {}, 'DELETE')
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, POST'])
  })

  verifies(
    ['client.basic-refused', 'trouble.basic-parsing'],
    'credentials in the Authorization header are refused cleanly, in any scheme and shape',
    async () => {
      const { code, pkce } = await aCode(world, school, keeper, ada)
      const basic = Buffer.from(`${keeper.clientId}:${keeper.secret}`).toString('base64')
      const headers = [`Basic ${basic}`, 'Basic', 'Basic %%%', 'basic Og==', 'Bearer x', 'Other y']
      for (const authorization of headers) {
        const answer = await world.app.inject({
          method: 'POST',
          url: '/api/oauth/token',
          headers: {
            host: new URL(school.origin).host,
            'content-type': 'application/x-www-form-urlencoded',
            authorization,
          },
          payload: new URLSearchParams({
            grant_type: 'authorization_code',
            client_id: keeper.clientId,
            client_secret: keeper.secret ?? '',
            code,
            code_verifier: pkce.verifier,
            redirect_uri: keeper.redirectUri,
            resource: school.origin,
          }).toString(),
        })
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
        const scheme = /^(basic|bearer)/i.exec(authorization)?.[0]
        const challenge = answer.headers['www-authenticate']
        if (scheme === undefined) expect(challenge).toBeUndefined()
        else expect(challenge).toBe(`${scheme} realm="${school.origin}"`)
      }
      expect((await exchange(world, school, keeper, code, pkce.verifier)).statusCode).toBe(200)
    },
  )

  test('an operator pair and its tokens live at their school alone', async () => {
    const owner = await world.aMember(school, ['admin'])
    const pair = await anOperatorPair(world, school, owner)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect((await userinfo(world, elsewhere, pair.access_token)).statusCode).toBe(401)
  })
})
