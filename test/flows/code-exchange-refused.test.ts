import { describe, expect, test } from 'vitest'
import { mintToken } from '../../src/foundation/protocol/token-format.ts'
import { verifies } from '../spec/verifies.ts'
import { exchange } from '../support/client-like.ts'
import {
  aCode,
  ageCode,
  CLAUDE,
  codeIdOf,
  deletePerson,
  isLive,
  setRoles,
} from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const elsewhere = await world.aSchool()
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

const UNTOUCHED = { consumed_at: null, pair_id: null }
const codeRow = (code: string) =>
  school.db
    .from('authorization_codes')
    .select(['consumed_at', 'pair_id'])
    .where('id', '=', codeIdOf(code))
    .executeTakeFirstOrThrow()

describe('a refused exchange leaves the code unchanged', () => {
  type Overrides = Record<string, string | undefined>

  /** The broken request is refused, the code is unchanged, and the right request succeeds. */
  async function expectRefusal(error: string, ...broken: readonly Overrides[]): Promise<void> {
    const { code, pkce } = await aCode(world, school, client, ada)
    for (const overrides of broken) {
      const answer = await exchange(world, school, client, code, pkce.verifier, overrides)
      expect(answer.json()).toEqual({
        error,
        error_description: expect.stringMatching(/\S/),
        error_uri: expect.stringMatching(`#${error}$`),
      })
      expect(answer.statusCode).toBe(error === 'invalid_client' ? 401 : 400)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(await codeRow(code)).toEqual(UNTOUCHED)
    }
    expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
  }

  verifies(
    ['token.grant-type.required', 'token.client-id.required', 'errors.oauth.shape'],
    'without grant_type or client_id it is invalid_request',
    () => expectRefusal('invalid_request', { grant_type: undefined }, { client_id: undefined }),
  )

  test('an unknown client, and a public client that sends a secret, are invalid_client', () =>
    expectRefusal('invalid_client', { client_id: 'unknown' }, { client_secret: 'x' }))

  verifies(
    'token.code.required',
    'without a code, or with an empty one, it is invalid_request',
    () => expectRefusal('invalid_request', { code: undefined }, { code: '' }),
  )

  verifies(
    'trouble.code-checked-late',
    'a made-up code with the id of a real row is refused, also with the right verifier',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const forged = mintToken('code', codeIdOf(code)).value
      for (const presented of [forged, 'garbage', `${code}0`, code.slice(0, -1)]) {
        const answer = await exchange(world, school, client, presented, pkce.verifier)
        expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
      }
      expect(await codeRow(code)).toEqual(UNTOUCHED)
      const pair = (await exchange(world, school, client, code, pkce.verifier)).json()
      await exchange(world, school, client, forged, pkce.verifier)
      expect(await isLive(world, pair)).toBe(true)
    },
  )

  verifies(
    ['token.redirect-uri.required', 'token.redirect-uri.same', 'rfc9700.code-injection'],
    'the redirect_uri must be the same string: another loopback port is another URI here',
    async () => {
      await expectRefusal('invalid_request', { redirect_uri: undefined })
      await expectRefusal(
        'invalid_grant',
        { redirect_uri: 'http://127.0.0.1/other' },
        { redirect_uri: 'http://127.0.0.1:81/callback' },
        { redirect_uri: 'http://127.0.0.1/callback/' },
      )
    },
  )

  verifies(
    [
      'token.verifier.required',
      'token.verifier.matches',
      'rfc9700.pkce.enforced',
      'fapi2-security-profile-final-ensure-pkce-code-verifier-required',
      'fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected',
    ],
    'without the verifier it is invalid_request, with another one invalid_grant',
    async () => {
      await expectRefusal('invalid_request', { code_verifier: undefined })
      await expectRefusal(
        'invalid_grant',
        { code_verifier: 'a'.repeat(43) },
        { code_verifier: 'abc' },
        { code_verifier: 'a'.repeat(129) },
      )
    },
  )

  test('the challenge is not accepted as verifier: an attacker who saw the request cannot finish it', async () => {
    const { code, pkce } = await aCode(world, school, client, ada)
    const answer = await exchange(world, school, client, code, pkce.challenge)
    expect(answer.json().error).toBe('invalid_grant')
  })

  verifies(
    [
      'token.resource.repeated',
      'token.resource.missing',
      'token.resource.other',
      'token.refused-keeps-code',
      'trouble.code-burnt-early',
    ],
    'without resource it is invalid_request, with another one invalid_target, and the code stays valid',
    async () => {
      await expectRefusal('invalid_request', { resource: undefined })
      await expectRefusal(
        'invalid_target',
        { resource: elsewhere.origin },
        { resource: `${school.origin}/courses` },
        { resource: `${school.origin}.evil.test` },
      )
    },
  )

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
      `a confidential client with ${what} is 401 invalid_client, and its code stays valid`,
      async () => {
        const { code, pkce } = await aCode(world, school, keeper, ada)
        const overrides = { client_secret }
        const answer = await exchange(world, school, keeper, code, pkce.verifier, overrides)
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
        expect((await exchange(world, school, keeper, code, pkce.verifier)).statusCode).toBe(200)
      },
    )
  }

  test('an unknown client, a missing secret and a wrong secret get the same answer', async () => {
    const { code, pkce } = await aCode(world, school, keeper, ada)
    const bodies = await Promise.all(
      [{ client_id: 'unknown' }, { client_secret: undefined }, { client_secret: 'x' }].map(
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
    'a stolen code is refused for every other client, even with its verifier',
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
    'a code is refused at another school, even for a client with the same client_id there',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const resource = elsewhere.origin
      const stranger = await exchange(world, elsewhere, client, code, pkce.verifier, { resource })
      expect([stranger.statusCode, stranger.json().error]).toEqual([401, 'invalid_client'])
      await elsewhere.db
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

  test('a code of a person who lost the role or was deleted is refused', async () => {
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

  test('a code of an operator who was demoted after consent is refused', async () => {
    const owner = await world.aMember(school, ['owner'])
    const { code, pkce } = await aCode(world, school, CLAUDE, owner, { scope: 'school:read' })
    await setRoles(school, owner, ['student'])
    const answer = await exchange(world, school, CLAUDE, code, pkce.verifier)
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
  })

  test('a client switched off between consent and exchange is invalid_client', async () => {
    const doomed = await world.aPublicClient(school)
    const { code, pkce } = await aCode(world, school, doomed, ada)
    await school.db
      .update('clients')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', doomed.clientId)
      .execute()
    const answer = await exchange(world, school, doomed, code, pkce.verifier)
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
    expect(answer.json().error_description).toMatch(/switched off at this school.*owner or admin/)
  })

  test('a signing key that cannot be decrypted stops ID tokens at its school, and nothing else', async () => {
    const broken = await world.aSchool()
    await broken.db
      .update('signing_keys')
      .set({ sealed_private_key: Buffer.alloc(80) })
      .execute()
    world.context.directory.forget()
    const app = await world.aPublicClient(broken)
    const { code, pkce } = await aCode(world, broken, app, await world.aMember(broken))
    const answer = await exchange(world, broken, app, code, pkce.verifier)
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ access_token: expect.any(String) })
    expect(answer.json()).not.toHaveProperty('id_token')
    const other = await aCode(world, school, client, ada)
    const fine = await exchange(world, school, client, other.code, other.pkce.verifier)
    expect(fine.json()).toHaveProperty('id_token')
  })
})
