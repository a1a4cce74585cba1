import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import * as recipe from '../recipes/openid-client.ts'

export const openidClient: Trial = {
  name: 'openid-client',
  package: 'openid-client',
  words: { signsOut: 'revokes' },
  async start({ ada }, app) {
    const config = await recipe.connect(app)
    let access = ''
    let kept = ''
    const keep = (tokens: { access_token: string; refresh_token?: string }): void => {
      access = tokens.access_token
      kept = tokens.refresh_token ?? kept
    }
    return {
      async signIn() {
        const { url, checks } = await recipe.begin(config, app)
        const back = await ada.consent(url.href, app.redirectUri)
        keep(await recipe.finish(config, app, new URL(back), checks))
      },
      me: () => userinfo(app.origin, access),
      refresh: async () => keep(await recipe.refresh(config, app, kept)),
      signOut: () => recipe.signOut(config, kept),
    }
  },
}
