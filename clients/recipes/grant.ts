/*
# grant

`custom_params` adds `resource` to the authorization request; for the exchange it stands in `access_url`. The redirect URI is
`{your origin}/connect/schoolgate/callback`. Grant does sign-in only: refresh and sign out by a POST, here with the functions
of [fetch](fetch.md).
*/
import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import grant from 'grant'
import type { Application } from './application.ts'
import { refresh, signOut, type Tokens } from './fetch.ts'

declare module 'express-session' {
  interface SessionData {
    grant: { response?: { raw?: Tokens; error?: unknown } }
    pair: Tokens & { until: number }
  }
}

const withEnd = (tokens: Tokens) => ({ ...tokens, until: Date.now() + tokens.expires_in * 1000 })

export function makeApp(app: Application): express.Express {
  const web = express()
  web.use(
    session({ secret: randomBytes(32).toString('hex'), resave: false, saveUninitialized: false }),
  )
  web.use(
    // @ts-expect-error: its types have `default` once more.
    grant.express({
      defaults: { origin: new URL(app.redirectUri).origin, transport: 'session', state: true },
      schoolgate: {
        oauth: 2,
        authorize_url: `${app.origin}/oauth/authorize`,
        access_url: `${app.origin}/api/oauth/token?resource=${encodeURIComponent(app.origin)}`,
        custom_params: { resource: app.origin },
        key: app.clientId,
        secret: app.clientSecret,
        scope: ['profile', 'account:read'],
        scope_delimiter: ' ',
        pkce: true,
        response: ['tokens', 'raw'],
        callback: '/signed-in',
      },
    }),
  )
  web.get('/login', (_request, response) => response.redirect('/connect/schoolgate'))
  web.get('/signed-in', ({ session }, response) => {
    const tokens = session.grant?.response?.raw
    if (tokens === undefined) throw new Error(JSON.stringify(session.grant?.response?.error))
    session.pair = withEnd(tokens)
    response.redirect('/me')
  })
  web.get('/me', async ({ session }, response) => {
    if (session.pair === undefined) return response.redirect('/login')
    if (session.pair.until <= Date.now()) {
      session.pair = withEnd(await refresh(app, session.pair.refresh_token))
    }
    const authorization = `Bearer ${session.pair.access_token}`
    const me = await fetch(`${app.origin}/api/oauth/userinfo`, { headers: { authorization } })
    response.status(me.status).send(await me.text())
  })
  web.get('/sign-out', async ({ session }, response) => {
    if (session.pair !== undefined) await signOut(app, session.pair.refresh_token)
    session.destroy(() => response.send('Signed out'))
  })
  return web
}
