import type { Trial } from '../drive/tried-client.ts'
import { webApp } from '../drive/web-app.ts'
import { makeApp } from '../recipes/express-openid-connect.ts'

export const expressOpenidConnect: Trial = {
  name: 'express-openid-connect',
  package: 'express-openid-connect',
  application: { afterSignOut: '/signed-out' },
  refreshesAfter: 1,
  words: { refreshes: 'by a call', signsOut: 'ends the session; the app revokes, with a POST' },
  async start(place, app) {
    const client = await webApp(place, makeApp(app))
    return {
      ...client,
      async signOut() {
        await client.signOut()
        await place.expectSessionEnded()
      },
    }
  },
}
