import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { expectPage } from '../../support/authorization.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { discover } from '../../support/conformance.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const AFTER = 'https://suite.example/post_logout_redirect'
const client = await world.aConfidentialClient(school, { postLogoutRedirectUris: [AFTER] })
const person = await world.aMember(school)

/** A flow, then the person goes to the end_session_endpoint with these parameters. */
async function logout(parameters: (idToken: string) => Record<string, string>) {
  const visitor = new Visitor(world, school)
  const { id_token = '' } = await aPair(world, school, client, person, { visitor })
  const { end_session_endpoint } = await discover(world, school)
  const { pathname } = new URL(String(end_session_endpoint))
  const answer = await visitor.get(`${pathname}?${new URLSearchParams(parameters(id_token))}`)
  return { visitor, answer }
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).statusCode === 200

/** The person confirms on the page, and stays at this origin, signed out. */
async function expectConfirmed({ visitor, answer }: { visitor: Visitor; answer: Answer }) {
  expectPage(answer, 200)
  const done = await visitor.post('/sign-out', hiddenFields(answer.body, '/sign-out'))
  expectPage(done, 200)
  expect(done.body).toContain('You are signed out')
  expect(await isSignedIn(visitor)).toBe(false)
}

const full = (idToken: string) => ({
  id_token_hint: idToken,
  post_logout_redirect_uri: AFTER,
  state: 'a state',
})

verifies(
  'oidcc-rp-initiated-logout-discovery-endpoint-verification',
  'oidcc-rp-initiated-logout-discovery-endpoint-verification: end_session_endpoint is a URL of the issuer',
  async () => {
    const { end_session_endpoint } = await discover(world, school)
    expect(new URL(String(end_session_endpoint)).origin).toBe(school.origin)
  },
)

verifies(
  'oidcc-rp-initiated-logout',
  'oidcc-rp-initiated-logout: redirects to the registered URI with the state',
  async () => {
    const { visitor, answer } = await logout(full)
    expect(answer.headers.location).toBe(`${AFTER}?state=a%20state`)
    expect(await isSignedIn(visitor)).toBe(false)
  },
)

verifies(
  'oidcc-rp-initiated-logout-no-state',
  'oidcc-rp-initiated-logout-no-state: redirects without a state',
  async () => {
    const { answer } = await logout((idToken) => ({
      id_token_hint: idToken,
      post_logout_redirect_uri: AFTER,
    }))
    expect(answer.headers.location).toBe(AFTER)
  },
)

verifies(
  [
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    'oidcc-rp-initiated-logout-modified-id-token-hint',
    'oidcc-rp-initiated-logout-bad-id-token-hint',
  ],
  'another URI, a query added to it, a changed ID token and one of another issuer: an error page, no redirect',
  async () => {
    const elsewhere = await world.aSchool()
    const foreign = await aPair(
      world,
      elsewhere,
      await world.aConfidentialClient(elsewhere),
      await world.aMember(elsewhere),
    )
    const wrong = [
      (idToken: string) => ({ ...full(idToken), post_logout_redirect_uri: `${AFTER}X` }),
      (idToken: string) => ({ ...full(idToken), post_logout_redirect_uri: `${AFTER}?foo=bar` }),
      (idToken: string) => full(`${idToken.slice(0, -5)}AAAAA`),
      () => full(foreign.id_token ?? ''),
    ]
    for (const parameters of wrong) {
      const { visitor, answer } = await logout(parameters)
      expectPage(answer, 400)
      expect(await isSignedIn(visitor)).toBe(true)
    }
  },
)

verifies(
  ['oidcc-rp-initiated-logout-no-params', 'oidcc-rp-initiated-logout-only-state'],
  'no parameters, or only a state: the person confirms, and stays here',
  async () => {
    await expectConfirmed(await logout(() => ({})))
    await expectConfirmed(await logout(() => ({ state: 'a state' })))
  },
)

verifies(
  'oidcc-rp-initiated-logout-no-id-token-hint',
  'oidcc-rp-initiated-logout-no-id-token-hint: without a client the redirect URI is refused on a page',
  async () => {
    const { visitor, answer } = await logout(() => ({
      post_logout_redirect_uri: AFTER,
      state: 'a state',
    }))
    expectPage(answer, 400)
    expect(await isSignedIn(visitor)).toBe(true)
  },
)

verifies(
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri: a page says that the person is signed out',
  async () => {
    const { visitor, answer } = await logout((idToken) => ({
      id_token_hint: idToken,
      state: 'a state',
    }))
    expectPage(answer, 200)
    expect(answer.body).toContain('You are signed out')
    expect(await isSignedIn(visitor)).toBe(false)
  },
)
