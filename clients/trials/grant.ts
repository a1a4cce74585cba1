import type { Trial } from '../drive/tried-client.ts'
import { webApp } from '../drive/web-app.ts'
import { makeApp } from '../recipes/grant.ts'

export const grant: Trial = {
  name: 'grant',
  package: 'grant',
  application: { callback: '/connect/schoolgate/callback' },
  refreshesAfter: 1,
  words: {
    refreshes: 'by the app, with a POST ([thread](https://github.com/simov/grant/issues/149))',
    signsOut: 'the app revokes, with a POST',
  },
  start: (place, app) => webApp(place, makeApp(app)),
}
