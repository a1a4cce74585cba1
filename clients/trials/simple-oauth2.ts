import type { AccessToken } from 'simple-oauth2'
import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import * as recipe from '../recipes/simple-oauth2.ts'

export const simpleOauth2: Trial = {
  name: 'simple-oauth2',
  package: 'simple-oauth2',
  words: { signsOut: 'revokes' },
  start({ ada }, app) {
    const client = recipe.connect(app)
    let kept: AccessToken | undefined
    const token = (): AccessToken => {
      if (kept === undefined) throw new Error('not signed in')
      return kept
    }
    return {
      async signIn() {
        const { url, ...checks } = recipe.begin(client, app)
        const back = await ada.consent(url, app.redirectUri)
        kept = await recipe.finish(client, app, new URL(back), checks)
      },
      me: () => userinfo(app.origin, String(token().token.access_token)),
      async refresh() {
        kept = await recipe.refresh(token())
      },
      signOut: () => recipe.signOut(token()),
    }
  },
}
