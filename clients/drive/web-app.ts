import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { DemoPlace } from './demo-place.ts'
import { type Page, textOf } from './person.ts'
import type { TriedClient } from './tried-client.ts'

/** An app with the pages `/login`, `/me` and `/sign-out`, which Ada opens in her browser. */
export async function webApp(
  { ada, port }: DemoPlace,
  listener: RequestListener,
): Promise<TriedClient> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...pagesOf(ada, `http://127.0.0.1:${port}`),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export function pagesOf(
  ada: DemoPlace['ada'],
  origin: string,
): Pick<TriedClient, 'signIn' | 'me' | 'signOut'> {
  const open = async (path: string): Promise<string> => bodyOf(await ada.open(`${origin}${path}`))
  return {
    signIn: async () => void (await open('/login')),
    me: () => open('/me'),
    signOut: async () => void (await open('/sign-out')),
  }
}

export function bodyOf({ status, url, body }: Page): string {
  if (status === 200) return body
  throw new Error(`${status} at ${url}: ${textOf(body)}`)
}
