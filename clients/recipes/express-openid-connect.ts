/*
# express-openid-connect

`tokenEndpointParams` adds `resource` to the exchange and to refreshes. Name the algorithm, ES256, and the authentication method.
Without `idpLogout` a sign-out leaves the person signed in at the school; the operator registers the address after sign-out
(here the app's origin with `/signed-out`). The refresh token is not ended by it, so revoke it first.
*/
import { randomBytes } from 'node:crypto'
import express from 'express'
import openid from 'express-openid-connect'
import type { Application } from './application.ts'
import { signOut } from './fetch.ts'

const { auth, requiresAuth } = openid

export function makeApp(app: Application): express.Express {
  const web = express()
  web.use(
    auth({
      issuerBaseURL: app.origin,
      baseURL: new URL(app.redirectUri).origin,
      clientID: app.clientId,
      clientSecret: app.clientSecret,
      secret: randomBytes(32).toString('hex'),
      clientAuthMethod: 'client_secret_post',
      idTokenSigningAlg: 'ES256',
      authorizationParams: {
        response_type: 'code',
        scope: 'openid profile account:read',
        resource: app.origin,
      },
      tokenEndpointParams: { resource: app.origin },
      authRequired: false,
      idpLogout: true,
      routes: { logout: false, postLogoutRedirect: '/signed-out' },
    }),
  )
  web.get('/', (_request, response) => response.redirect('/me'))
  web.get('/me', requiresAuth(), async ({ oidc }, response) => {
    let token = oidc.accessToken
    if (token?.isExpired()) token = await token.refresh()
    const authorization = `Bearer ${token?.access_token}`
    const me = await fetch(`${app.origin}/api/oauth/userinfo`, { headers: { authorization } })
    response.status(me.status).send(await me.text())
  })
  web.get('/sign-out', requiresAuth(), async ({ oidc }, response) => {
    await signOut(app, oidc.refreshToken ?? '')
    await response.oidc.logout()
  })
  web.get('/signed-out', (_request, response) => response.send('Signed out'))
  return web
}
