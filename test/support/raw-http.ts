import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'

export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Sends bytes as they are and returns everything that comes back until the server hangs up. */
export async function speakRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  // A server that hangs up on us is what many of these conversations are about.
  socket.on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return received
}

/** A promise and its resolve function: a test holds a handler exactly as long as it wants. */
export function aGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
