import type { Trial } from '../drive/tried-client.ts'
import { webApp } from '../drive/web-app.ts'
import { makeApp } from '../recipes/passport-oauth2.ts'

export const passportOauth2: Trial = {
  name: 'passport-oauth2',
  package: 'passport-oauth2',
  refreshesAfter: 1,
  words: {
    refreshes:
      'by the app, with a POST ([thread](https://github.com/jaredhanson/passport-oauth2/pull/43))',
    signsOut: 'the app revokes, with a POST',
  },
  start: (place, app) => webApp(place, makeApp(app)),
}
