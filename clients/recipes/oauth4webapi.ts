/*
# oauth4webapi

The same checks as openid-client, request by request. `resource` is an additional parameter of the exchange and of the refresh.
*/
import * as oauth from 'oauth4webapi'
import type { Application } from './application.ts'

/** Only for an origin on http, such as those of the demo schools; leave it out on https. */
const http = { [oauth.allowInsecureRequests]: true }

export async function connect(app: Application) {
  const issuer = new URL(app.origin)
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http })
  return {
    server: await oauth.processDiscoveryResponse(issuer, answer),
    client: { client_id: app.clientId },
    secret: oauth.ClientSecretPost(app.clientSecret),
    options: { additionalParameters: { resource: app.origin }, ...http },
  }
}

export type Connection = Awaited<ReturnType<typeof connect>>

/** Keep `checks` in the person's session and send the person to `url`. */
export async function begin({ server }: Connection, app: Application) {
  const checks = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  }
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    scope: 'openid profile email account:read',
    resource: app.origin,
    code_challenge: await oauth.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: 'S256',
    state: checks.state,
    nonce: checks.nonce,
  }).toString()
  return { url, checks }
}

export async function finish(
  { server, client, secret, options }: Connection,
  app: Application,
  callback: URL,
  { verifier, state, nonce }: { verifier: string; state: string; nonce: string },
) {
  const proven = oauth.validateAuthResponse(server, client, callback, state)
  const answer = await oauth.authorizationCodeGrantRequest(
    ...([server, client, secret, proven, app.redirectUri, verifier, options] as const),
  )
  return oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
}

export async function refresh(
  { server, client, secret, options }: Connection,
  refreshToken: string,
) {
  const answer = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options)
  return oauth.processRefreshTokenResponse(server, client, answer)
}

export async function signOut({ server, client, secret }: Connection, refreshToken: string) {
  const answer = await oauth.revocationRequest(server, client, secret, refreshToken, http)
  await oauth.processRevocationResponse(answer)
}
