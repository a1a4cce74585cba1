import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Auth, type AuthConfig } from '@auth/core'
import type { Trial } from '../drive/tried-client.ts'
import { userinfo } from '../drive/userinfo.ts'
import { bodyOf } from '../drive/web-app.ts'
import { configure } from '../recipes/auth-js.ts'

export const authJs: Trial = {
  name: 'auth-js',
  package: '@auth/core',
  application: { callback: '/auth/callback/schoolgate' },
  refreshesAfter: 1,
  words: {
    refreshes:
      'by the app, with a POST ([thread](https://github.com/nextauthjs/next-auth/issues/690))',
    signsOut: 'the app revokes, with a POST',
  },
  async start({ ada, port }, app) {
    const origin = `http://127.0.0.1:${port}`
    const config = configure(app, crypto.randomUUID())
    const server = createServer((request, response) => {
      answer(origin, config, request, response).catch(() => response.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')

    /** Auth.js changes a session only by a form with its token. */
    async function submit(path: string): Promise<void> {
      const { csrfToken } = JSON.parse(bodyOf(await ada.open(`${origin}/auth/csrf`)))
      const form = new URLSearchParams({ csrfToken, callbackUrl: `${origin}/auth/session` })
      bodyOf(await ada.open(`${origin}${path}`, undefined, form))
    }
    return {
      signIn: () => submit('/auth/signin/schoolgate'),
      async me() {
        const session = JSON.parse(bodyOf(await ada.open(`${origin}/auth/session`)))
        return await userinfo(app.origin, session.accessToken)
      },
      signOut: () => submit('/auth/signout'),
      close() {
        server.closeAllConnections()
        server.close()
      },
    }
  },
}

/** What the adapters of Auth.js for a framework do. */
async function answer(
  origin: string,
  config: AuthConfig,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const hasBody = method === 'POST'
  const {
    status,
    headers: sent,
    body,
  } = await Auth(
    new Request(`${origin}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      ...(hasBody ? { body: await text(request) } : {}),
    }),
    config,
  )
  response.writeHead(status, [...sent].flat())
  response.end(body === null ? '' : Buffer.from(await new Response(body).arrayBuffer()))
}
