import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import {
  ask,
  expectErrorRedirect,
  expectPage,
  locationOf,
  queryOf,
  signedIn,
} from '../../support/authorization.ts'
import { aPkce, authorizeParameters, Visitor } from '../../support/browser-like.ts'
import { exchange, postForm } from '../../support/client-like.ts'
import { aSuite, runFlow, verifyIdToken } from '../../support/conformance.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const setup = await aSuite(world)
const { school, client, person } = setup

/** Moves the last sign-ins at this school into the past. */
const ageSessions = (seconds: number) =>
  world.database.pool.query(
    `update browser_sessions set authenticated_at = authenticated_at - make_interval(secs => $2)
     where school_id = $1`,
    [school.id, seconds],
  )

verifies(
  'oidcc-response-type-missing',
  'oidcc-response-type-missing: invalid_request to the client',
  async () => {
    const answer = await ask(setup, { response_type: undefined })
    expectErrorRedirect(setup, answer, 'invalid_request')
  },
)

verifies(
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the ID token has no nonce',
  async () => {
    const { claims } = await runFlow(setup, { parameters: { nonce: undefined } })
    expect(claims).not.toHaveProperty('nonce')
  },
)

verifies(
  'oidcc-alternate-happy-flow',
  'oidcc-alternate-happy-flow: parameters and scopes in reverse order',
  async () => {
    const pkce = aPkce()
    const scope = 'account:write account:read email profile openid'
    const ordered = [...authorizeParameters(school, client, pkce, { scope })].reverse()
    const visitor = new Visitor(world, school)
    const query = new URLSearchParams(ordered)
    const page = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
    const consent = await visitor.follow(await visitor.signIn(page, person))
    const params = new URL(locationOf(await visitor.decide(consent, 'allow'))).searchParams
    const code = params.get('code') ?? ''
    const answer = await exchange(world, school, client, code, pkce.verifier)
    const { payload } = await verifyIdToken(setup, answer.json().id_token)
    expect(payload.sub).toBe(person.id)
  },
)

verifies('oidcc-display-page', 'oidcc-display-page: ignored', async () => {
  await runFlow(setup, { parameters: { display: 'page' } })
})

verifies('oidcc-display-popup', 'oidcc-display-popup: ignored', async () => {
  await runFlow(setup, { parameters: { display: 'popup' } })
})

verifies(
  'oidcc-prompt-login',
  'oidcc-prompt-login: the password is asked for again, and auth_time is newer',
  async () => {
    const visitor = new Visitor(world, school)
    const first = await runFlow(setup, { visitor })
    await ageSessions(60)
    const signIn = await visitor.follow(await ask(setup, { prompt: 'login' }, visitor))
    expect(signIn.body).toContain('name="password"')
    const second = await runFlow(setup, { visitor, parameters: { prompt: 'login' } })
    expect(second.claims.sub).toBe(first.claims.sub)
    // Without a new sign-in it would be a minute earlier.
    expect(second.claims.auth_time).toBeGreaterThanOrEqual(Number(first.claims.auth_time))
  },
)

verifies(
  'oidcc-prompt-none-not-logged-in',
  'oidcc-prompt-none-not-logged-in: login_required to the client',
  async () => {
    expectErrorRedirect(setup, await ask(setup, { prompt: 'none' }), 'login_required')
  },
)

verifies(
  'oidcc-prompt-none-logged-in',
  'oidcc-prompt-none-logged-in: consent_required, since consent is asked for every time',
  async () => {
    const visitor = new Visitor(world, school)
    await runFlow(setup, { visitor })
    const answer = await ask(setup, { prompt: 'none' }, visitor)
    expectErrorRedirect(setup, answer, 'consent_required')
  },
)

verifies(
  'oidcc-max-age-1',
  'oidcc-max-age-1: a person with an older session signs in again, and auth_time is newer',
  async () => {
    const visitor = new Visitor(world, school)
    const first = await runFlow(setup, { visitor })
    await ageSessions(2)
    const signIn = await visitor.follow(await ask(setup, { max_age: '1' }, visitor))
    expect(signIn.body).toContain('name="password"')
    const { claims } = await runFlow(setup, { visitor, parameters: { max_age: '1' } })
    expect(claims.auth_time).toBeGreaterThanOrEqual(Number(first.claims.auth_time))
  },
)

verifies(
  'oidcc-max-age-10000',
  'oidcc-max-age-10000: a newer session continues to consent, and auth_time stays',
  async () => {
    const visitor = new Visitor(world, school)
    const first = await runFlow(setup, { visitor })
    const answer = await ask(setup, { max_age: '10000' }, visitor)
    expect(locationOf(answer)).toMatch(/^\/consent/)
    const second = await runFlow(setup, { visitor, parameters: { max_age: '10000' } })
    expect(second.claims.auth_time).toBe(first.claims.auth_time)
  },
)

verifies(
  'oidcc-ensure-request-with-unknown-parameter-succeeds',
  'oidcc-ensure-request-with-unknown-parameter-succeeds: it is ignored',
  async () => {
    await runFlow(setup, { parameters: { extra: 'foobar' } })
  },
)

verifies(
  'oidcc-id-token-hint',
  'oidcc-id-token-hint: a hint of the signed-in person is ignored',
  async () => {
    const visitor = new Visitor(world, school)
    const first = await runFlow(setup, { visitor })
    const parameters = { id_token_hint: first.tokens.id_token }
    const second = await runFlow(setup, { visitor, parameters })
    expect(second.claims.sub).toBe(first.claims.sub)
  },
)

verifies('oidcc-login-hint', 'oidcc-login-hint: it fills the email field', async () => {
  const visitor = new Visitor(world, school)
  const hint = { login_hint: person.email }
  const page = await visitor.follow(await ask(setup, hint, visitor))
  expect(page.body).toContain(`value="${person.email}"`)
  await runFlow(setup, { parameters: hint })
})

verifies('oidcc-ui-locales', 'oidcc-ui-locales: ignored', async () => {
  await runFlow(setup, { parameters: { ui_locales: 'se' } })
})

verifies('oidcc-claims-locales', 'oidcc-claims-locales: ignored', async () => {
  await runFlow(setup, { parameters: { claims_locales: 'se' } })
})

verifies(
  'oidcc-ensure-request-with-acr-values-succeeds',
  'oidcc-ensure-request-with-acr-values-succeeds: harmless',
  async () => {
    await runFlow(setup, { parameters: { acr_values: '1 2' } })
  },
)

verifies(
  'oidcc-ensure-registered-redirect-uri',
  'oidcc-ensure-registered-redirect-uri: our error page, no redirect',
  async () => {
    expectPage(await ask(setup, { redirect_uri: `${client.redirectUri}/random` }), 400)
  },
)

verifies(
  'oidcc-ensure-post-request-succeeds',
  'oidcc-ensure-post-request-succeeds: the form becomes the same request as a GET',
  async () => {
    const visitor = new Visitor(world, school)
    const posted = await postForm(world, school, '/oauth/authorize', queryOf(setup))
    const page = await visitor.follow(await visitor.get(locationOf(posted)))
    const consent = await visitor.follow(await visitor.signIn(page, person))
    expect(locationOf(await visitor.decide(consent, 'allow'))).toContain('code=')
  },
)

verifies(
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: rejected, and not fetched',
  async () => {
    const answer = await ask(setup, { request_uri: 'https://app.example/request.jwt' })
    expectErrorRedirect(setup, answer, 'request_uri_not_supported')
  },
)

const unsigned = (claims: object) =>
  [{ alg: 'none' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('')
    .join('.')

verifies(
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: rejected, with the state of the query',
  async () => {
    const request = unsigned({ client_id: client.clientId, state: 'inside', scope: 'openid' })
    expectErrorRedirect(setup, await ask(setup, { request }), 'request_not_supported')
  },
)

verifies(
  'oidcc-ensure-request-object-with-redirect-uri',
  'oidcc-ensure-request-object-with-redirect-uri: the redirect URI of a request object is not used',
  async () => {
    const request = unsigned({ client_id: client.clientId, redirect_uri: client.redirectUri })
    const elsewhere = { request, redirect_uri: 'https://evil.example/cb' }
    expectPage(await ask(setup, elsewhere), 400)
    const evil = unsigned({ redirect_uri: 'https://evil.example/cb' })
    expectErrorRedirect(setup, await ask(setup, { request: evil }), 'request_not_supported')
  },
)

verifies(
  'oidcc-claims-essential',
  'oidcc-claims-essential: an essential name does not fail',
  async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
    const run = await runFlow(setup, { parameters: { claims } })
    expect(run.userinfo.name).toBe(person.name)
  },
)

verifies(
  'oidcc-ensure-request-with-valid-pkce-succeeds',
  'oidcc-ensure-request-with-valid-pkce-succeeds: as in every flow here',
  async () => {
    const { page } = await signedIn(setup)
    expectPage(page, 200)
    await runFlow(setup)
  },
)
