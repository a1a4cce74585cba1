/*
# passport-oauth2

`resource` stands in both URLs. `pkce` and `state` need a session. The secret goes into the form, as it should. Passport does
sign-in only: refresh and sign out by a POST, here with the functions of [fetch](fetch.md).
*/
import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OAuth2Strategy from 'passport-oauth2'
import type { Application } from './application.ts'
import { refresh, signOut } from './fetch.ts'

interface Kept {
  access: string
  refresh: string
  /** Milliseconds since 1970. */
  until: number
}

declare module 'express-session' {
  interface SessionData {
    kept: Kept
  }
}

export function makeApp(app: Application): express.Express {
  const resource = `resource=${encodeURIComponent(app.origin)}`
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: `${app.origin}/oauth/authorize?${resource}`,
      tokenURL: `${app.origin}/api/oauth/token?${resource}`,
      clientID: app.clientId,
      clientSecret: app.clientSecret,
      callbackURL: app.redirectUri,
      scope: ['profile', 'account:read'],
      pkce: true,
      state: true,
    },
    (
      access: string,
      refresh: string,
      { expires_in }: { expires_in: number },
      _profile: unknown,
      done: (error: null, user: Kept) => void,
    ) => done(null, { access, refresh, until: Date.now() + expires_in * 1000 }),
  )
  const web = express()
  web.use(
    session({ secret: randomBytes(32).toString('hex'), resave: false, saveUninitialized: false }),
  )
  const signIn = new passport.Passport().use(strategy).authenticate('oauth2', { session: false })

  web.get('/login', signIn)
  web.get('/callback', signIn, (request, response) => {
    request.session.kept = request.user as Kept
    response.redirect('/me')
  })
  web.get('/me', async ({ session }, response) => {
    if (session.kept === undefined) return response.redirect('/login')
    if (session.kept.until <= Date.now()) {
      const pair = await refresh(app, session.kept.refresh)
      const until = Date.now() + pair.expires_in * 1000
      session.kept = { access: pair.access_token, refresh: pair.refresh_token, until }
    }
    const authorization = `Bearer ${session.kept.access}`
    const me = await fetch(`${app.origin}/api/oauth/userinfo`, { headers: { authorization } })
    response.status(me.status).send(await me.text())
  })
  web.get('/sign-out', async ({ session }, response) => {
    if (session.kept !== undefined) await signOut(app, session.kept.refresh)
    session.destroy(() => response.send('Signed out'))
  })
  return web
}
