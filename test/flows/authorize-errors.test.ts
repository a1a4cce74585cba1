import { describe, expect, test } from 'vitest'
import { ALL_SCOPES, SCOPES } from '../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  ask,
  expectErrorRedirect,
  expectPage,
  queryOf,
  signedIn,
  writtenRows,
} from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const setup = await aSetup(world)
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

type Overrides = Record<string, string | undefined>

/** Requests with one mistake each, and the error that the client gets. */
const broken: Record<string, [Overrides, string]> = {
  'no response_type': [{ response_type: undefined }, 'invalid_request'],
  'an empty response_type': [{ response_type: '' }, 'invalid_request'],
  'response_type=token': [{ response_type: 'token' }, 'unsupported_response_type'],
  'response_type=id_token': [{ response_type: 'id_token' }, 'unsupported_response_type'],
  'response_type=code id_token': [{ response_type: 'code id_token' }, 'unsupported_response_type'],
  'response_type=CODE': [{ response_type: 'CODE' }, 'unsupported_response_type'],
  'response_mode=fragment': [{ response_mode: 'fragment' }, 'invalid_request'],
  'response_mode=form_post': [{ response_mode: 'form_post' }, 'invalid_request'],
  'response_mode=web_message': [{ response_mode: 'web_message' }, 'invalid_request'],
  'no scope': [{ scope: undefined }, 'invalid_request'],
  'a scope of spaces': [{ scope: '   ' }, 'invalid_scope'],
  'an unknown scope': [{ scope: 'openid nonsense' }, 'invalid_scope'],
  'a scope with a quote': [{ scope: 'openid "x"' }, 'invalid_scope'],
  'a scope split by tabs': [{ scope: 'openid\taccount:read' }, 'invalid_request'],
  'a scope of operators': [{ scope: 'openid courses:read' }, 'invalid_scope'],
  'offline_access and nothing else': [{ scope: 'offline_access' }, 'invalid_scope'],
  'no resource': [{ resource: undefined }, 'invalid_request'],
  'the resource of another origin': [{ resource: 'https://other.example' }, 'invalid_target'],
  'a resource with a fragment': [{ resource: `${setup.school.origin}#x` }, 'invalid_target'],
  'a resource below the origin': [{ resource: `${setup.school.origin}/api` }, 'invalid_target'],
  'a resource that is no URL': [{ resource: 'here' }, 'invalid_target'],
  'no challenge': [{ code_challenge: undefined }, 'invalid_request'],
  'an empty challenge': [{ code_challenge: '' }, 'invalid_request'],
  'a challenge too short': [{ code_challenge: challenge.slice(1) }, 'invalid_request'],
  'a padded challenge': [{ code_challenge: `${challenge}=` }, 'invalid_request'],
  'no challenge method': [{ code_challenge_method: undefined }, 'invalid_request'],
  'the method plain': [{ code_challenge_method: 'plain' }, 'invalid_request'],
  'the method s256': [{ code_challenge_method: 's256' }, 'invalid_request'],
  'a request object': [{ request: 'e30.e30.' }, 'request_not_supported'],
  'a request_uri': [{ request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
  'a registration': [{ registration: '{}' }, 'registration_not_supported'],
  'prompt=none with login': [{ prompt: 'none login' }, 'invalid_request'],
  'an unknown prompt': [{ prompt: 'create' }, 'invalid_request'],
  'a max_age in words': [{ max_age: 'soon' }, 'invalid_request'],
  'a negative max_age': [{ max_age: '-1' }, 'invalid_request'],
  'prompt=none': [{ prompt: 'none' }, 'login_required'],
  'a null byte in the nonce': [{ nonce: 'a\0b' }, 'invalid_request'],
  'a null byte in something unknown': [{ anything: '\0' }, 'invalid_request'],
}

describe('after client and redirect URI are checked, errors go to the client by redirect', () => {
  for (const [what, [overrides, error]] of Object.entries(broken)) {
    verifies(
      ['authorize.proven.error-redirect', 'rfc9700.iss', 'authorize.whole-before-sign-in'],
      `${what} ends in ${error}, before the person is asked to sign in`,
      async () => {
        const before = await writtenRows(setup)
        expectErrorRedirect(setup, await ask(setup, overrides), error)
        expect(await writtenRows(setup)).toBe(before)
      },
    )
  }

  verifies(
    ['authorize.state.optional', 'authorize.proven.error-redirect'],
    'the answer to a request without state, or with an empty one, has no state',
    async () => {
      const wrong = { scope: 'nonsense' }
      for (const state of [undefined, '']) {
        expectErrorRedirect(setup, await ask(setup, { ...wrong, state }), 'invalid_scope', null)
      }
    },
  )

  verifies(
    ['authorize.state.echoed', 'authorize.proven.error-redirect'],
    'a state of any printable text comes back unchanged, also with an error',
    async () => {
      const state = 'a&b=c#d %2F+"\\ ü 線 🏫'
      const answer = await ask(setup, { state, scope: 'nonsense' })
      expectErrorRedirect(setup, answer, 'invalid_scope', state)
      expect(answer.headers.location).not.toContain('+')
    },
  )

  for (const name of ['state', 'scope', 'response_type', 'code_challenge', 'anything']) {
    verifies('authorize.repeated-parameter', `${name} sent twice is invalid_request`, async () => {
      const visitor = new Visitor(world, setup.school)
      const once = queryOf(setup, { anything: 'x' })
      const value = new URLSearchParams(once).get(name) ?? ''
      const query = `${once}&${name}=${encodeURIComponent(value)}`
      const state = name === 'state' ? null : 'a state'
      const answer = await visitor.get(`/oauth/authorize?${query}`)
      expectErrorRedirect(setup, answer, 'invalid_request', state)
    })
  }

  test('only resource may repeat, if each value names this origin', async () => {
    const visitor = new Visitor(world, setup.school)
    const query = `/oauth/authorize?${queryOf(setup)}&resource=`
    const good = await visitor.get(query + encodeURIComponent(`${setup.school.origin}/mcp`))
    expect(good.headers.location).toMatch(/^\/sign-in\?request=/)
    const bad = await visitor.get(`${query}https%3A%2F%2Fother.example`)
    expectErrorRedirect(setup, bad, 'invalid_target')
  })

  verifies(
    'authorize.bad-input',
    'broken percent-encoding in a parameter is a redirect, in client_id a page',
    async () => {
      const visitor = new Visitor(world, setup.school)
      for (const junk of ['%', '%zz', '%ff', '%c0%80', '%ed%a0%80']) {
        const answer = await visitor.get(`/oauth/authorize?${queryOf(setup)}&junk=${junk}`)
        expectErrorRedirect(setup, answer, 'invalid_request')
        const unproven = queryOf(setup, { client_id: undefined })
        expectPage(await visitor.get(`/oauth/authorize?${unproven}&client_id=${junk}`), 400)
      }
    },
  )

  verifies(
    'authorize.bad-input',
    'more than a hundred parameters are refused with a page',
    async () => {
      const visitor = new Visitor(world, setup.school)
      const many = Array.from({ length: 101 }, (_, index) => `p${index}=1`).join('&')
      expectPage(await visitor.get(`/oauth/authorize?${queryOf(setup)}&${many}`), 400)
    },
  )

  verifies('authorize.bad-input', 'a field of 200 KB is answered with 414', async () => {
    const answer = await ask(setup, { state: 'x'.repeat(200_000) })
    expect(answer.statusCode).toBe(414)
    expect(answer.json()).toMatchObject({ error: 'invalid_request' })
    expect(answer.json().error_description).toContain('8192')
    expect(answer.headers.location).toBeUndefined()
  })
})

describe('the description of an error names the rule', () => {
  const expectDescription = async (overrides: Overrides, error: string, words: string) => {
    const params = expectErrorRedirect(setup, await ask(setup, overrides), error)
    expect(params.get('error_description')).toContain(words)
  }

  verifies(
    ['authorize.response-type.required', 'authorize.response-type.code'],
    'response_type is required, and code is the only value',
    async () => {
      await expectDescription(
        { response_type: undefined },
        'invalid_request',
        'response_type is missing',
      )
      await expectDescription(
        { response_type: 'none' },
        'unsupported_response_type',
        'must be code',
      )
    },
  )

  verifies(
    [
      'authorize.resource.member-required',
      'authorize.resource.missing',
      'authorize.resource.other-origin',
    ],
    'a member client must name the origin as resource, and the error names that origin',
    async () => {
      const { origin } = (await aSetup(world)).school
      await expectDescription({ resource: undefined }, 'invalid_request', setup.school.origin)
      await expectDescription({ resource: origin }, 'invalid_target', setup.school.origin)
    },
  )

  verifies(
    [
      'authorize.challenge.required',
      'authorize.challenge-method.required',
      'authorize.challenge-method.s256',
      'rfc9700.pkce.downgrade',
    ],
    'an attacker who rewrites the request cannot drop or weaken PKCE',
    async () => {
      await expectDescription(
        { code_challenge: undefined },
        'invalid_request',
        'code_challenge is missing',
      )
      await expectDescription(
        { code_challenge_method: undefined },
        'invalid_request',
        'means plain',
      )
      await expectDescription({ code_challenge_method: 'plain' }, 'invalid_request', 'must be S256')
      const none = { code_challenge: undefined, code_challenge_method: undefined }
      await expectDescription(none, 'invalid_request', 'code_challenge is missing')
      // A code without a challenge cannot be stored, so none can be exchanged without a verifier.
      const { rows } = await world.database.pool.query(
        `select is_nullable from information_schema.columns
         where table_name = 'authorization_codes' and column_name = 'code_challenge'`,
      )
      expect(rows).toEqual([{ is_nullable: 'NO' }])
    },
  )

  verifies(
    ['authorize.request-object.refused', 'authorize.request-uri.refused'],
    'request objects are refused with their own error codes, never ignored',
    async () => {
      await expectDescription({ request: 'x' }, 'request_not_supported', 'request')
      await expectDescription({ request_uri: 'urn:x' }, 'request_uri_not_supported', 'request_uri')
    },
  )
})

describe('scopes', () => {
  verifies(
    ['authorize.scope.beyond-client', 'client.scopes.chosen-at-creation'],
    'a known scope that the client may not use is invalid_scope',
    async () => {
      const client = await world.aPublicClient(setup.school, { scopes: ['openid', 'account:read'] })
      const narrow = { ...setup, client }
      const answer = await ask(narrow, { scope: 'openid account:write' })
      const description = expectErrorRedirect(narrow, answer, 'invalid_scope')
      expect(description.get('error_description')).toContain('account:write')
      expect((await ask(narrow, { scope: 'account:read openid' })).headers.location).toMatch(
        /^\/sign-in/,
      )
    },
  )

  test('an operator scope from a member application is refused as one for operator clients', async () => {
    const answer = await ask(setup, { scope: 'openid courses:read' })
    const description = expectErrorRedirect(setup, answer, 'invalid_scope').get('error_description')
    expect(description).toMatch(/^Only operator clients may ask for courses:read;/)
    expect(description).not.toContain('chooses its scopes')
  })

  test('a client that asks for all scopes there are reads which ones it may have', async () => {
    const answer = await ask(setup, { scope: ALL_SCOPES.toString() })
    const description = expectErrorRedirect(setup, answer, 'invalid_scope').get('error_description')
    expect(description).toMatch(/ and \d+ more; this is a member application\./)
    expect(description).toMatch(/may ask for: account:read account:write email openid profile$/)
  })

  verifies(
    ['authorize.scope.from-table', 'authorize.scope.unknown', 'authorize.scope.required'],
    'only the published scopes exist',
    async () => {
      const known = new Set(SCOPES.map(({ name }) => name))
      for (const scope of [
        'address',
        'phone',
        'OPENID',
        'account:*',
        'account',
        '*',
        'orders:write',
      ]) {
        expect(known.has(scope)).toBe(false)
        expectErrorRedirect(setup, await ask(setup, { scope }), 'invalid_scope')
      }
      expectErrorRedirect(setup, await ask(setup, { scope: undefined }), 'invalid_request')
    },
  )

  verifies(
    'authorize.scope.space-separated',
    'scopes may be separated by + or %20, by several spaces, and may repeat',
    async () => {
      const visitor = new Visitor(world, setup.school)
      const rest = queryOf(setup, { scope: undefined })
      for (const scope of ['openid+account%3Aread', 'openid%20%20account:read+openid']) {
        const answer = await visitor.get(`/oauth/authorize?${rest}&scope=${scope}`)
        expect(answer.headers.location).toMatch(/^\/sign-in/)
      }
      const commas = await visitor.get(`/oauth/authorize?${rest}&scope=openid,account:read`)
      expectErrorRedirect(setup, commas, 'invalid_scope')
    },
  )
})

verifies(
  [
    'authorize.prompt.none',
    'trouble.prompt-none-and-consent',
    'oidcc-prompt-none-logged-in',
    'oidcc-prompt-none-not-logged-in',
  ],
  'prompt=none is login_required without a session and consent_required with one, also after consent',
  async () => {
    const { visitor, page } = await signedIn(setup)
    expectErrorRedirect(setup, await ask(setup, { prompt: 'none' }), 'login_required')
    const silent = () => ask(setup, { prompt: 'none' }, visitor)
    expectErrorRedirect(setup, await silent(), 'consent_required')
    await visitor.decide(page, 'allow')
    expectErrorRedirect(setup, await silent(), 'consent_required')
    const old = await ask(setup, { prompt: 'none', max_age: '0' }, visitor)
    expectErrorRedirect(setup, old, 'login_required')
  },
)
