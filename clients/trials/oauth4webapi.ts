import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import * as recipe from '../recipes/oauth4webapi.ts'

export const oauth4webapi: Trial = {
  name: 'oauth4webapi',
  package: 'oauth4webapi',
  words: { signsOut: 'revokes' },
  async start({ ada }, app) {
    const connection = await recipe.connect(app)
    let access = ''
    let kept = ''
    const keep = (tokens: { access_token: string; refresh_token?: string }): void => {
      access = tokens.access_token
      kept = tokens.refresh_token ?? kept
    }
    return {
      async signIn() {
        const { url, checks } = await recipe.begin(connection, app)
        const back = await ada.consent(url.href, app.redirectUri)
        keep(await recipe.finish(connection, app, new URL(back), checks))
      },
      me: () => userinfo(app.origin, access),
      refresh: async () => keep(await recipe.refresh(connection, kept)),
      signOut: () => recipe.signOut(connection, kept),
    }
  },
}
