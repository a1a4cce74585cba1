import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { ask, expectErrorRedirect, signedIn } from '../../support/authorization.ts'
import { aPkce, authorizeAs } from '../../support/browser-like.ts'
import { exchange, refresh } from '../../support/client-like.ts'
import { aSuite, runFlow } from '../../support/conformance.ts'
import { ageCode } from '../../support/oauth-world.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const setup = await aSuite(world)
const { school, client, person } = setup

async function aCode() {
  const pkce = aPkce()
  const callback = await authorizeAs(world, school, client, person, { pkce })
  return { code: callback.get('code') ?? '', verifier: pkce.verifier }
}

verifies(
  'fapi2-security-profile-final-par-plain-pkce-rejected',
  'par-plain-pkce-rejected: plain, and no method at all, are invalid_request',
  async () => {
    for (const code_challenge_method of ['plain', undefined]) {
      const answer = await ask(setup, { code_challenge_method })
      expectErrorRedirect(setup, answer, 'invalid_request')
    }
  },
)

verifies(
  [
    'fapi2-security-profile-final-ensure-pkce-code-verifier-required',
    'fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected',
  ],
  'ensure-pkce-code-verifier-required, incorrect-pkce-code-verifier-rejected: no exchange without the right verifier',
  async () => {
    const { code, verifier } = await aCode()
    const missing = await exchange(world, school, client, code, verifier, {
      code_verifier: undefined,
    })
    expect(missing.statusCode).toBe(400)
    expect(missing.json().error).toMatch(/^invalid_(request|grant)$/)
    const wrong = await exchange(world, school, client, code, aPkce().verifier)
    expect(wrong.json().error).toBe('invalid_grant')
    expect((await exchange(world, school, client, code, verifier)).statusCode).toBe(200)
  },
)

verifies(
  'fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client',
  'ensure-authorization-code-is-bound-to-client: refused for a second client',
  async () => {
    const other = await world.aConfidentialClient(school)
    const { code, verifier } = await aCode()
    const stolen = await exchange(world, school, other, code, verifier)
    expect(stolen.json().error).toBe('invalid_grant')
  },
)

verifies(
  'fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second',
  'attempt-reuse-authorization-code-after-one-second: invalid_grant at once too',
  async () => {
    const { code, verifier } = await aCode()
    expect((await exchange(world, school, client, code, verifier)).statusCode).toBe(200)
    const again = await exchange(world, school, client, code, verifier)
    expect(again.json().error).toBe('invalid_grant')
  },
)

verifies(
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code',
  'ensure-token-endpoint-fails-with-expired-auth-code: invalid_grant after five minutes',
  async () => {
    const { code, verifier } = await aCode()
    await ageCode(world, code, '5 minutes')
    const late = await exchange(world, school, client, code, verifier)
    expect(late.json().error).toBe('invalid_grant')
  },
)

for (const responseType of ['token', 'code token', 'id_token token']) {
  verifies(
    ['fapi2-security-profile-final-ensure-response-type-token-fails', 'rfc9700.no-implicit'],
    `ensure-response-type-token-fails: ${responseType} is unsupported_response_type`,
    async () => {
      const answer = await ask(setup, { response_type: responseType })
      expectErrorRedirect(setup, answer, 'unsupported_response_type')
    },
  )
}

verifies(
  'fapi2-security-profile-final-ensure-response-type-code-idtoken-fails',
  'ensure-response-type-code-idtoken-fails: unsupported_response_type',
  async () => {
    const answer = await ask(setup, { response_type: 'code id_token' })
    expectErrorRedirect(setup, answer, 'unsupported_response_type')
  },
)

verifies(
  'fapi2-security-profile-final-ensure-authorization-request-with-long-nonce',
  'ensure-authorization-request-with-long-nonce: a kilobyte arrives complete',
  async () => {
    const nonce = 'n'.repeat(1024)
    expect((await runFlow(setup, { parameters: { nonce } })).claims.nonce).toBe(nonce)
  },
)

verifies(
  'fapi2-security-profile-final-ensure-authorization-request-with-long-state',
  'ensure-authorization-request-with-long-state: a kilobyte comes back complete',
  async () => {
    const state = 's'.repeat(1024)
    expect((await runFlow(setup, { parameters: { state } })).callback.get('state')).toBe(state)
  },
)

verifies(
  'fapi2-security-profile-final-ensure-authorization-request-without-state-success',
  'ensure-authorization-request-without-state-success: the answer has none',
  async () => {
    const { callback } = await runFlow(setup, { parameters: { state: undefined } })
    expect(callback.has('state')).toBe(false)
  },
)

verifies(
  'fapi2-security-profile-final-par-without-duplicate-parameters',
  'par-without-duplicate-parameters: each parameter once, in one place, is enough',
  async () => {
    const { callback } = await runFlow(setup)
    expect([...callback.keys()].sort()).toEqual(['code', 'iss', 'state'])
  },
)

verifies(
  'fapi2-security-profile-final-user-rejects-authentication',
  'user-rejects-authentication: access_denied',
  async () => {
    const { visitor, page } = await signedIn(setup)
    expectErrorRedirect(setup, await visitor.decide(page, 'deny'), 'access_denied')
  },
)

verifies(
  'fapi2-security-profile-final-refresh-token',
  'refresh-token: only for its own client',
  async () => {
    const { tokens } = await runFlow(setup)
    const other = await world.aConfidentialClient(school)
    const stolen = await refresh(world, school, other, tokens.refresh_token)
    expect(stolen.json().error).toBe('invalid_grant')
    expect((await refresh(world, school, client, tokens.refresh_token)).statusCode).toBe(200)
  },
)
