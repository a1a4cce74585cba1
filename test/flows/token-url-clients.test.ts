import { CodeChallengeMethod, generateCodeVerifier, generateState, OAuth2Client } from 'arctic'
import { InMemoryWebStorage, OidcClient, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { Visitor } from '../support/browser-like.ts'
import { userinfo } from '../support/client-like.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { aWorld } from '../support/world.ts'

/** Client libraries that can be told a token URL, but no further field of a token request. */
const world = await aWorld()
const school = await aListeningSchool(world)
const app = await world.aPublicClient(school)
const ada = await world.aMember(school)
const TOKEN_URL = `${school.origin}/api/oauth/token?resource=${encodeURIComponent(school.origin)}`

/**
 * Opens the authorization URL as Ada, signs in and allows. Returns the redirect back to the client.
 */
async function authorize(url: URL): Promise<URL> {
  const visitor = new Visitor(world, school)
  const signIn = await visitor.follow(await visitor.get(url.pathname + url.search))
  const consent = await visitor.follow(await visitor.signIn(signIn, ada))
  const back = await visitor.decide(consent, 'allow')
  return new URL(String(back.headers.location))
}

verifies(
  'token.resource.in-url',
  'arctic, which has no way to add a field, exchanges and refreshes a member token',
  async () => {
    const client = new OAuth2Client(app.clientId, null, app.redirectUri)
    const verifier = generateCodeVerifier()
    const state = generateState()
    const url = client.createAuthorizationURLWithPKCE(
      `${school.origin}/oauth/authorize`,
      state,
      CodeChallengeMethod.S256,
      verifier,
      ['account:read'],
    )
    url.searchParams.set('resource', school.origin)
    const back = (await authorize(url)).searchParams
    expect(back.get('state')).toBe(state)
    const code = back.get('code') ?? ''
    const tokens = await client.validateAuthorizationCode(TOKEN_URL, code, verifier)
    const refreshed = await client.refreshAccessToken(TOKEN_URL, tokens.refreshToken(), [])
    expect(refreshed.data).toMatchObject({ school_id: school.id, scope: 'account:read' })
    expect((await userinfo(world, school, refreshed.accessToken())).statusCode).toBe(200)
  },
)

verifies(
  'token.resource.in-url',
  'oidc-client-ts renews silently, which sends no resource of its own',
  async () => {
    const settings = {
      authority: school.origin,
      client_id: app.clientId,
      redirect_uri: app.redirectUri,
      scope: 'openid profile account:read',
      resource: school.origin,
      metadataSeed: { token_endpoint: TOKEN_URL },
      stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      automaticSilentRenew: false,
    }
    const { url } = await new OidcClient(settings).createSigninRequest({})
    const manager = new UserManager(settings)
    const back = await authorize(new URL(url))
    const first = await manager.signinRedirectCallback(back.href)
    expect(first.profile.sub).toBe(ada.id)
    const renewed = await manager.signinSilent()
    expect(renewed?.access_token).not.toBe(first.access_token)
    expect((await userinfo(world, school, renewed?.access_token ?? '')).statusCode).toBe(200)
  },
)
