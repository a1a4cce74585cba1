/*
# @badgateway/oauth2-client

`OAuth2Fetch` refreshes by itself when the access token has expired or is refused, and it sends no `resource` then: so
`resource` stands in `tokenEndpoint`. `client_secret_post` is needed because HTTP Basic, its default, is not accepted.

If a refresh fails because its answer was lost, that `fetch` throws, and the next one refreshes again with the same token.
*/

import type { OAuth2Token } from '@badgateway/oauth2-client'
import { generateCodeVerifier, OAuth2Client, OAuth2Fetch } from '@badgateway/oauth2-client'
import type { Application } from './application.ts'

export function connect({ origin, clientId, clientSecret }: Application) {
  return new OAuth2Client({
    server: origin,
    clientId,
    clientSecret,
    authenticationMethod: 'client_secret_post',
    authorizationEndpoint: '/oauth/authorize',
    tokenEndpoint: `/api/oauth/token?resource=${encodeURIComponent(origin)}`,
    revocationEndpoint: '/api/oauth/revoke',
  })
}

/** Keep `state` and `codeVerifier` in the person's session and send the person to `url`. */
export async function begin(client: OAuth2Client, app: Application) {
  const checks = { state: crypto.randomUUID(), codeVerifier: await generateCodeVerifier() }
  const url = await client.authorizationCode.getAuthorizeUri({
    redirectUri: app.redirectUri,
    scope: ['openid', 'profile', 'account:read'],
    resource: app.origin,
    ...checks,
  })
  return { url, checks }
}

export function finish(
  client: OAuth2Client,
  app: Application,
  callback: URL,
  checks: { state: string; codeVerifier: string },
): Promise<OAuth2Token> {
  const redirectUri = app.redirectUri
  return client.authorizationCode.getTokenFromCodeRedirect(callback, { redirectUri, ...checks })
}

/** A `fetch` that sends the token and refreshes it. */
export function session(
  client: OAuth2Client,
  token: OAuth2Token,
  storeToken: (token: OAuth2Token) => void,
) {
  return new OAuth2Fetch({
    client,
    getStoredToken: () => token,
    storeToken,
    // There is no new token without the person: send them through the flow again.
    getNewToken: () => null,
  })
}

export const signOut = (client: OAuth2Client, token: OAuth2Token) =>
  client.revoke(token, 'refresh_token')
