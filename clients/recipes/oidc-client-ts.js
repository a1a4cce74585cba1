/*
# oidc-client-ts

For an app that runs in the browser, on any origin: the token endpoint answers cross-origin requests. Ask the operator for a public
application. `resource` goes into the authorization request; automatic renewal sends none of its own, so it stands in the token
endpoint, which `metadataSeed` replaces in the discovered metadata. The school must list ID tokens in its metadata: the library
asks for `openid` and fails without one.

After a lost answer the library reports `silentRenewError` and stops renewing; `renew` goes on, with the same refresh token.
*/
import { ErrorResponse, UserManager } from 'oidc-client-ts'

/** @param {import('./application.ts').Application} app */
export function connect(app) {
  const manager = new UserManager({
    authority: app.origin,
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    post_logout_redirect_uri: `${location.origin}/signed-out`,
    scope: 'openid profile account:read',
    resource: app.origin,
    metadataSeed: {
      token_endpoint: `${app.origin}/api/oauth/token?resource=${encodeURIComponent(app.origin)}`,
    },
    automaticSilentRenew: true,
    revokeTokensOnSignout: true,
    revokeTokenTypes: ['refresh_token'],
  })
  const renew = async () => {
    try {
      await manager.signinSilent()
    } catch (error) {
      if (error instanceof ErrorResponse) await manager.signinRedirect()
      else setTimeout(renew, 2000)
    }
  }
  manager.events.addSilentRenewError(renew)
  return manager
}
