/*
# openid-client

Finds everything by discovery and checks `state`, `nonce`, `iss` and the ID token. The one thing to add is `resource`, in all
three requests of a member's tokens.

`refresh` may fail because its answer was lost: call it again with the same refresh token. Store the new pair before you use it.
*/
import * as openid from 'openid-client'
import type { Application } from './application.ts'

export function connect(app: Application): Promise<openid.Configuration> {
  // Only for an origin on http, such as those of the demo schools.
  const execute = app.origin.startsWith('http:') ? [openid.allowInsecureRequests] : []
  const secret = openid.ClientSecretPost(app.clientSecret)
  return openid.discovery(new URL(app.origin), app.clientId, {}, secret, { execute })
}

/** Keep `checks` in the person's session and send the person to `url`. */
export async function begin(config: openid.Configuration, app: Application) {
  const checks = {
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
  }
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: app.redirectUri,
    scope: 'openid profile email account:read',
    resource: app.origin,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  })
  return { url, checks }
}

export function finish(
  config: openid.Configuration,
  app: Application,
  callback: URL,
  checks: openid.AuthorizationCodeGrantChecks,
) {
  return openid.authorizationCodeGrant(config, callback, checks, { resource: app.origin })
}

export function refresh(config: openid.Configuration, app: Application, refreshToken: string) {
  return openid.refreshTokenGrant(config, refreshToken, { resource: app.origin })
}

export function signOut(config: openid.Configuration, refreshToken: string): Promise<void> {
  return openid.tokenRevocation(config, refreshToken)
}
