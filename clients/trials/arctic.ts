import type { OAuth2Tokens } from 'arctic'
import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import * as recipe from '../recipes/arctic.ts'

export const arctic: Trial = {
  name: 'arctic',
  package: 'arctic',
  application: { isPublic: true },
  words: { signsOut: 'revokes' },
  start({ ada }, app) {
    const client = recipe.connect(app)
    let access = ''
    let kept = ''
    const keep = (tokens: OAuth2Tokens): void => {
      access = tokens.accessToken()
      kept = tokens.refreshToken()
    }
    return {
      async signIn() {
        const { url, ...checks } = recipe.begin(client, app)
        const back = await ada.consent(url.href, app.redirectUri)
        keep(await recipe.finish(client, app, new URL(back), checks))
      },
      me: () => userinfo(app.origin, access),
      refresh: async () => keep(await recipe.refresh(client, app, kept)),
      signOut: () => recipe.signOut(client, app, kept),
    }
  },
}
