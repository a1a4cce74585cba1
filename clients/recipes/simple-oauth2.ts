/*
# simple-oauth2

`authorizationMethod: 'body'` sends the secret in the form; HTTP Basic, its default, is not accepted. `resource` stands in
`tokenPath`, which is used for the exchange and for refreshes. PKCE is yours: the library passes both values on.
*/
import { createHash, randomBytes } from 'node:crypto'
import { type AccessToken, AuthorizationCode } from 'simple-oauth2'
import type { Application } from './application.ts'

export function connect({ origin, clientId, clientSecret }: Application) {
  return new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: {
      tokenHost: origin,
      tokenPath: `/api/oauth/token?resource=${encodeURIComponent(origin)}`,
      authorizePath: '/oauth/authorize',
      revokePath: '/api/oauth/revoke',
    },
    options: { authorizationMethod: 'body' },
  })
}

/** Keep `state` and `verifier` in the person's session and send the person to `url`. */
export function begin(client: AuthorizationCode, app: Application) {
  const state = randomBytes(16).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    redirect_uri: app.redirectUri,
    scope: 'openid profile account:read',
    state,
    resource: app.origin,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  return { url: client.authorizeURL(parameters), state, verifier }
}

export function finish(
  client: AuthorizationCode,
  app: Application,
  callback: URL,
  { state, verifier }: { state: string; verifier: string },
): Promise<AccessToken> {
  if (callback.searchParams.get('state') !== state) throw new Error('not the answer to our request')
  const code = callback.searchParams.get('code') ?? ''
  const parameters = { code, redirect_uri: app.redirectUri, code_verifier: verifier }
  return client.getToken(parameters)
}

/** Call it if `token.expired(60)`, and store the result before you use it. */
export const refresh = (token: AccessToken) => token.refresh()

export const signOut = (token: AccessToken) => token.revoke('refresh_token')
