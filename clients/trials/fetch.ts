import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import * as recipe from '../recipes/fetch.ts'

export const withFetch: Trial = {
  name: 'fetch',
  package: { node: true },
  words: { signsOut: 'revokes' },
  start({ ada }, app) {
    let kept: recipe.Tokens
    return {
      async signIn() {
        const { url, checks } = await recipe.begin(app)
        const back = await ada.consent(url.href, app.redirectUri)
        kept = await recipe.finish(app, new URL(back), checks)
      },
      me: () => userinfo(app.origin, kept.access_token),
      async refresh() {
        kept = await recipe.refresh(app, kept.refresh_token)
      },
      signOut: () => recipe.signOut(app, kept.refresh_token),
    }
  },
}
