import type { Server, Socket } from 'node:net'

/**
 * Hangs up on whoever takes nothing of an answer from one look to the next: what they do not read is
 * kept in memory for them. Node's own timeout is renewed at every read and write, which every request
 * pays for; whoever sends nothing is the business of the server's other timeouts.
 */
export function closeStalledReaders(server: Server, betweenLooksMs: number): void {
  /** How much each had taken at the last look, or nothing if there was nothing to take. */
  const readers = new Map<Socket, number | undefined>()
  server.on('connection', (socket: Socket) => {
    readers.set(socket, undefined)
    socket.once('close', () => readers.delete(socket))
  })
  const looks = setInterval(() => {
    for (const [socket, before] of readers) {
      const taken = socket.writableLength === 0 ? undefined : takenBy(socket)
      if (taken !== undefined && taken === before) socket.destroy()
      else readers.set(socket, taken)
    }
  }, betweenLooksMs)
  looks.unref()
  server.once('close', () => clearInterval(looks))
}

/** What is left of a large piece only the handle knows: to the stream it is there until it is gone. */
function takenBy(socket: Socket): number {
  const { _handle } = socket as unknown as { _handle?: { writeQueueSize?: number } }
  return socket.bytesWritten - socket.writableLength - (_handle?.writeQueueSize ?? 0)
}
