import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Disconnects a client that takes nothing of its answer for the server's `connectionTimeout`: what it
 * does not read stays in our memory. Node starts the time-out again at every read, every write and
 * whenever part of a large write has left, so a slow reader that makes progress is not cut off.
 *
 * A listener on the response replaces Node's own reaction, which would also disconnect a client whose
 * answer is still being worked out. Idle connections have no response and are closed by Node.
 */
export function closeStalledReaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.on('timeout', closeIfUnread)
    done()
  })
}

function closeIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}
