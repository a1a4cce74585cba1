import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { UserManager } from 'oidc-client-ts'
import { launchBrowser } from '../../test/support/browser.ts'
import type { Trial } from '../drive/tried-client.ts'
import type { Application } from '../recipes/application.ts'

const FILES: Readonly<Record<string, URL>> = {
  '/recipe.js': new URL('../recipes/oidc-client-ts.js', import.meta.url),
  '/oidc-client-ts.js': new URL(
    '../node_modules/oidc-client-ts/dist/esm/oidc-client-ts.js',
    import.meta.url,
  ),
  '/jwt-decode.js': new URL('../node_modules/jwt-decode/build/esm/index.js', import.meta.url),
}

/** Every page of the app; the callback finishes the sign-in. */
const html = (app: Application): string => `<!doctype html><title>app</title>
<script type="importmap">
{"imports": {"oidc-client-ts": "/oidc-client-ts.js", "jwt-decode": "/jwt-decode.js"}}
</script>
<script type="module">
import { connect } from '/recipe.js'
window.manager = connect(${JSON.stringify(app)})
if (location.pathname === '/callback') await window.manager.signinRedirectCallback()
document.title = 'ready'
</script>`

export const oidcClientTs: Trial = {
  name: 'oidc-client-ts',
  package: 'oidc-client-ts',
  application: { isPublic: true, afterSignOut: '/signed-out' },
  // The library renews 60 seconds before the end.
  refreshesAfter: 62,
  words: {
    lostAnswer:
      'yes, by the handler of the recipe ([thread](https://github.com/authts/oidc-client-ts/issues/251))',
    signsOut: 'revokes and ends the session',
  },
  async start({ port }, app) {
    const server = createServer(async ({ url = '/' }, response) => {
      const file = FILES[url]
      response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript')
      response.end(file === undefined ? html(app) : await readFile(file))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const browser = await launchBrowser()
    const page = await browser.newPage()
    const ready = () => page.waitForFunction(() => document.title === 'ready')
    return {
      async signIn() {
        await page.goto(`http://127.0.0.1:${port}/`)
        await ready()
        await page.evaluate(() => void window.manager.signinRedirect())
        await page.fill('input[name=email]', 'ada@demo.test')
        await page.fill('input[name=password]', 'schoolgate-demo')
        await page.click('form[action="/sign-in"] button[type=submit]')
        await page.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.waitForURL(`${app.redirectUri}?*`)
        await ready()
      },
      me: () =>
        page.evaluate(async () => {
          const { manager } = window
          const user = await manager.getUser()
          const answer = await fetch(`${manager.settings.authority}/api/oauth/userinfo`, {
            headers: { authorization: `Bearer ${user?.access_token}` },
          })
          return await answer.text()
        }),
      async signOut() {
        await page.evaluate(() => void window.manager.signoutRedirect())
        await page.waitForURL(`http://127.0.0.1:${port}/signed-out*`)
        await page.goto(`${app.origin}/account`)
        await page.waitForURL(`${app.origin}/sign-in*`)
      },
      async close() {
        await browser.close()
        server.closeAllConnections()
        server.close()
      },
    }
  },
}

declare global {
  interface Window {
    manager: UserManager
  }
}
