/*
# arctic

Use `OAuth2Client`. It cannot add a field to a token request, so `resource` stands in the token URL. Give it no client secret:
it would send it by HTTP Basic, which is not accepted. Ask the operator for a public application; PKCE protects the code.
*/
import { CodeChallengeMethod, generateCodeVerifier, generateState, OAuth2Client } from 'arctic'
import type { Application } from './application.ts'

export const connect = (app: Application) => new OAuth2Client(app.clientId, null, app.redirectUri)

const tokenUrl = ({ origin }: Application) =>
  `${origin}/api/oauth/token?resource=${encodeURIComponent(origin)}`

/** Keep `state` and `verifier` in the person's session and send the person to `url`. */
export function begin(client: OAuth2Client, app: Application) {
  const state = generateState()
  const verifier = generateCodeVerifier()
  const url = client.createAuthorizationURLWithPKCE(
    `${app.origin}/oauth/authorize`,
    state,
    CodeChallengeMethod.S256,
    verifier,
    ['openid', 'profile', 'account:read'],
  )
  url.searchParams.set('resource', app.origin)
  return { url, state, verifier }
}

export function finish(
  client: OAuth2Client,
  app: Application,
  callback: URL,
  { state, verifier }: { state: string; verifier: string },
) {
  if (callback.searchParams.get('state') !== state) throw new Error('not the answer to our request')
  const code = callback.searchParams.get('code') ?? ''
  return client.validateAuthorizationCode(tokenUrl(app), code, verifier)
}

export const refresh = (client: OAuth2Client, app: Application, refreshToken: string) =>
  client.refreshAccessToken(tokenUrl(app), refreshToken, [])

export const signOut = (client: OAuth2Client, app: Application, refreshToken: string) =>
  client.revokeToken(`${app.origin}/api/oauth/revoke`, refreshToken)
