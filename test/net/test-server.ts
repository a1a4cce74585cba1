import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { onTestFinished } from 'vitest'

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8')

/** The certificate authority of the TLS servers below. */
export const testCa = fixture('test-ca.pem')

/** A TLS server whose certificate is for client.example, localhost and the loopback addresses. */
export function tlsServer(listener: RequestListener): Promise<number> {
  const server = createTlsServer(
    { cert: fixture('test-server.pem'), key: fixture('test-server.key.pem') },
    listener,
  )
  // A client that refuses the certificate ends the handshake, as some tests expect.
  server.on('tlsClientError', () => undefined)
  return listen(server)
}

export function plainServer(listener: RequestListener, host = '127.0.0.1'): Promise<number> {
  return listen(createServer(listener), host)
}

/** A server that answers any connection with these bytes, whether they are HTTP or not. */
export function rawServer(answer: (socket: Socket) => void): Promise<number> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    }),
  )
}

function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port))
  })
}
