import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../drive/demo-server.ts'
import { ROOT } from '../drive/program.ts'
import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import { bodyOf } from '../drive/web-app.ts'

/** A server with nothing but the recipe and an app behind it. */
const around = (port: number, appPort: number, recipe: string): string => `
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile apache.pid
ErrorLog error.log
${['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http', 'auth_openidc']
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
${recipe}
ProxyPass /signed-out !
ProxyPass /callback !
ProxyPass / http://127.0.0.1:${appPort}/
<Location /signed-out>
  Require all granted
</Location>
`

export const modAuthOpenidc: Trial = {
  name: 'mod-auth-openidc',
  package: { debian: 'libapache2-mod-auth-openidc' },
  application: { afterSignOut: '/signed-out' },
  refreshesAfter: 1,
  words: { signsOut: 'revokes and ends the session' },
  async start(place, app) {
    const { ada, port } = place
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-apache-'))
    const appPort = await freePort()
    const recipe = await readFile(`${ROOT}recipes/mod-auth-openidc.conf`, 'utf8')
    await writeFile(join(folder, 'httpd.conf'), around(port, appPort, recipe))
    // What is behind the module: an app that asks with the token that it is given.
    const behind = createServer((request, response) => {
      const token = String(request.headers.oidc_access_token)
      userinfo(app.origin, token).then(
        (text) => response.end(text),
        (error) => response.writeHead(502).end(String(error)),
      )
    })
    behind.listen(appPort, '127.0.0.1')
    await once(behind, 'listening')
    const apache = spawn('/usr/sbin/apache2', ['-X', '-d', folder, '-f', 'httpd.conf'], {
      env: {
        ORIGIN: app.origin,
        RESOURCE: encodeURIComponent(app.origin),
        CLIENT_ID: app.clientId,
        CLIENT_SECRET: app.clientSecret,
        PASSPHRASE: crypto.randomUUID(),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const origin = `http://127.0.0.1:${port}`
    for (let tries = 0; tries < 50; tries++) {
      if (await fetch(`${origin}/signed-out`).catch(() => undefined)) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return {
      signIn: async () => void bodyOf(await ada.open(`${origin}/me`)),
      me: async () => bodyOf(await ada.open(`${origin}/me`)),
      async signOut() {
        const after = encodeURIComponent(`${origin}/signed-out`)
        await ada.open(`${origin}/callback?logout=${after}`)
        await place.expectSessionEnded()
      },
      async close() {
        apache.kill()
        await once(apache, 'exit')
        behind.closeAllConnections()
        behind.close()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
}
