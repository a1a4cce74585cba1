import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Disconnects a client that reads nothing of its answer for the server's `connectionTimeout`: the
 * unread part stays in our memory. Node restarts the time-out at every read, every write and
 * whenever part of a large write has been sent, so a slow reader that makes progress stays connected.
 *
 * A listener on the response replaces Node's default, which would also disconnect a client that waits
 * for an answer we still prepare. Idle connections have no response, and Node closes them.
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
