import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'

export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Sends raw bytes and returns everything up to the end of the connection. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  // Many tests expect the server to close the connection.
  socket.on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return received
}

/** A promise and its resolve function: a test decides how long a handler waits. */
export function aLatch(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
