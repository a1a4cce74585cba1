import { readFileSync } from 'node:fs'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import { whenFileIsDone } from './clean-up.ts'
import { portOf } from './raw-http.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8')

/** Trusted by clients of the proxy. Its certificate is for localhost and the loopback addresses. */
export const PROXY_CA = fixture('test-ca.pem')

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Answers hosts other than those of the schools, such as a hostile sibling subdomain. */
export type OtherHosts = Readonly<Record<string, Answer>>

/**
 * A proxy that serves TLS in front of the application, as docs/guides/proxies.md asks for: it
 * replaces the forwarded headers of the caller by its own. Returns its port.
 */
export async function aTlsProxy(appPort: number, others: OtherHosts = {}): Promise<number> {
  const tls = { cert: fixture('test-server.pem'), key: fixture('test-server.key.pem') }
  return await listening(createServer(tls, forwardTo(appPort, 'https', others)))
}

/** The same without TLS: the port 80 of such a machine. */
export async function aPlainProxy(appPort: number, others: OtherHosts = {}): Promise<number> {
  return await listening(createHttpServer(forwardTo(appPort, 'http', others)))
}

function forwardTo(port: number, scheme: 'http' | 'https', others: OtherHosts): Answer {
  return (incoming, outgoing) => {
    const host = incoming.headers.host ?? ''
    const other = others[host.split(':')[0] ?? '']
    if (other !== undefined) return other(incoming, outgoing)
    const headers = {
      ...incoming.headers,
      'x-forwarded-host': host,
      'x-forwarded-proto': scheme,
      'x-forwarded-for': incoming.socket.remoteAddress,
    }
    const { method, url: path } = incoming
    const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenFileIsDone(() => {
    server.closeAllConnections()
    server.close()
  })
  return portOf(server)
}
