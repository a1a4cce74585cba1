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
      const { bytesWritten, writableLength } = socket
      const taken = writableLength === 0 ? undefined : bytesWritten - writableLength
      if (taken !== undefined && taken === before) socket.destroy()
      else readers.set(socket, taken)
    }
  }, betweenLooksMs)
  looks.unref()
  server.once('close', () => clearInterval(looks))
}
