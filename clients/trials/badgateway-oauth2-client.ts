import type { OAuth2Fetch, OAuth2Token } from '@badgateway/oauth2-client'
import type { Trial } from '../drive/tried-client.ts'
import * as recipe from '../recipes/badgateway-oauth2-client.ts'

export const badgateway: Trial = {
  name: 'badgateway-oauth2-client',
  package: '@badgateway/oauth2-client',
  refreshesAfter: 1,
  words: { signsOut: 'revokes' },
  start({ ada }, app) {
    const client = recipe.connect(app)
    let session: OAuth2Fetch
    let kept: OAuth2Token
    return {
      async signIn() {
        const { url, checks } = await recipe.begin(client, app)
        const back = await ada.consent(url, app.redirectUri)
        kept = await recipe.finish(client, app, new URL(back), checks)
        session = recipe.session(client, kept, (token) => {
          kept = token
        })
      },
      async me() {
        return await (await session.fetch(`${app.origin}/api/oauth/userinfo`)).text()
      },
      signOut: () => recipe.signOut(client, kept),
    }
  },
}
