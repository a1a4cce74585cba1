import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { Visitor } from '../support/browser-like.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { isLive } from '../support/oauth-world.ts'
import { aWorld, type TestClient } from '../support/world.ts'

/** Client libraries of other authors, from the npm registry, over real HTTP. */
const world = await aWorld()
const school = await aListeningSchool(world)
const ada = await world.aMember(school)
const issuer = new URL(school.origin)
const SCOPE = 'openid profile email account:read'

const AFTER = 'https://app.example/signed-out'
const postLogoutRedirectUris = [AFTER]

const clients: readonly [string, TestClient][] = [
  ['public', await world.aPublicClient(school, { postLogoutRedirectUris })],
  ['confidential', await world.aConfidentialClient(school, { postLogoutRedirectUris })],
]

/**
 * Opens the authorization URL as Ada, signs in and allows. Returns the redirect back to the client.
 */
async function authorize(url: URL, visitor = new Visitor(world, school)): Promise<URL> {
  const signIn = await visitor.follow(await visitor.get(url.pathname + url.search))
  const consent = await visitor.follow(await visitor.signIn(signIn, ada))
  const back = await visitor.decide(consent, 'allow')
  return new URL(String(back.headers.location))
}

for (const [kind, app] of clients) {
  describe(`openid-client as a ${kind} client`, () => {
    const discover = (algorithm: 'oidc' | 'oauth2') =>
      openid.discovery(
        issuer,
        app.clientId,
        {},
        app.secret === undefined ? openid.None() : openid.ClientSecretPost(app.secret),
        { algorithm, execute: [openid.allowInsecureRequests] },
      )

    async function pairFrom(config: openid.Configuration, visitor?: Visitor) {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const expectedState = openid.randomState()
      const expectedNonce = openid.randomNonce()
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: app.redirectUri,
        scope: SCOPE,
        resource: school.origin,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      })
      return await openid.authorizationCodeGrant(
        config,
        await authorize(url, visitor),
        { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true },
        { resource: school.origin },
      )
    }

    for (const algorithm of ['oidc', 'oauth2'] as const) {
      verifies(
        ['flow.public.method-none', 'flow.confidential.post', 'oidcc-server-client-secret-post'],
        `discovers by ${algorithm}, gets and verifies, uses, refreshes and revokes its tokens`,
        async () => {
          const config = await discover(algorithm)
          openid.enableNonRepudiationChecks(config)
          const first = await pairFrom(config)
          expect(first.claims()).toMatchObject({
            iss: school.origin,
            sub: ada.id,
            org_id: school.id,
          })
          expect(first.expiresIn()).toBeGreaterThan(7000)
          expect(first).toMatchObject({ school_id: school.id, school_subdomain: school.subdomain })

          const info = await openid.fetchUserInfo(config, first.access_token, ada.id)
          expect(info).toMatchObject({ sub: ada.id, email: ada.email, roles: ['student'] })

          const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '', {
            resource: school.origin,
          })
          expect(second.claims()).toBeUndefined()
          await openid.fetchUserInfo(config, second.access_token, ada.id)
          await expect(
            openid.fetchUserInfo(config, first.access_token, ada.id),
          ).rejects.toMatchObject({ code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE', status: 401 })

          await openid.tokenRevocation(config, second.refresh_token ?? '')
          await expect(
            openid.refreshTokenGrant(config, second.refresh_token ?? '', {
              resource: school.origin,
            }),
          ).rejects.toMatchObject({ error: 'invalid_grant' })
        },
      )
    }

    verifies(
      ['logout.hint.signs-out', 'logout.discovery'],
      'finds the end_session_endpoint, signs the person out and gets the browser back',
      async () => {
        const config = await discover('oidc')
        const visitor = new Visitor(world, school)
        const { id_token = '' } = await pairFrom(config, visitor)
        const state = openid.randomState()
        const { pathname, search } = openid.buildEndSessionUrl(config, {
          id_token_hint: id_token,
          post_logout_redirect_uri: AFTER,
          state,
        })
        const answer = await visitor.get(pathname + search)
        expect(answer.headers.location).toBe(`${AFTER}?state=${state}`)
        expect((await visitor.get('/account')).statusCode).toBe(303)
      },
    )
  })

  describe(`oauth4webapi as a ${kind} client`, () => {
    const client: oauth.Client = { client_id: app.clientId }
    const auth = app.secret === undefined ? oauth.None() : oauth.ClientSecretPost(app.secret)
    const http = { [oauth.allowInsecureRequests]: true }

    verifies(
      ['flow.no-claim-step', 'rfc9700.iss'],
      'goes from the resource metadata to revocation, and checks every answer',
      async () => {
        const resource = await oauth.processResourceDiscoveryResponse(
          issuer,
          await oauth.resourceDiscoveryRequest(issuer, http),
        )
        const server = new URL(resource.authorization_servers?.[0] ?? '')
        const as = await oauth.processDiscoveryResponse(
          server,
          await oauth.discoveryRequest(server, { algorithm: 'oauth2', ...http }),
        )
        const verifier = oauth.generateRandomCodeVerifier()
        const state = oauth.generateRandomState()
        const nonce = oauth.generateRandomNonce()
        const url = new URL(as.authorization_endpoint ?? '')
        for (const [name, value] of Object.entries({
          response_type: 'code',
          client_id: app.clientId,
          redirect_uri: app.redirectUri,
          scope: SCOPE,
          resource: resource.resource,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        })) {
          url.searchParams.set(name, value)
        }
        const callback = oauth.validateAuthResponse(as, client, await authorize(url), state)
        const additionalParameters = { resource: resource.resource }
        const response = await oauth.authorizationCodeGrantRequest(
          as,
          client,
          auth,
          callback,
          app.redirectUri,
          verifier,
          { additionalParameters, ...http },
        )
        const pair = await oauth.processAuthorizationCodeResponse(as, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        })
        await oauth.validateApplicationLevelSignature(as, response, http)
        const claims = oauth.getValidatedIdTokenClaims(pair)
        expect(claims).toMatchObject({ sub: ada.id, aud: app.clientId, nonce })

        const info = await oauth.processUserInfoResponse(
          as,
          client,
          claims?.sub ?? '',
          await oauth.userInfoRequest(as, client, pair.access_token, http),
        )
        expect(info.email).toBe(ada.email)

        const young = await oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, auth, pair.refresh_token ?? '', {
            additionalParameters,
            ...http,
          }),
        )
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(as, client, auth, young.refresh_token ?? '', http),
        )
        expect(await isLive(world, { ...young, refresh_token: '', scope: '' })).toBe(false)
      },
    )
  })
}
