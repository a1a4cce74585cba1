import type { FastifyInstance } from 'fastify'
import { isAnswering } from './queued-answers.ts'

/**
 * Disconnects a client that reads nothing of its answer for the server's `connectionTimeout`: the
 * unread part stays in our memory. Node restarts the time-out at every read, every write and
 * whenever part of a large write has been sent, so a slow reader that makes progress stays connected.
 *
 * A listener replaces Node's default, which would also disconnect a client that waits for an answer
 * we still prepare. Connections without a request to answer are closed, as Node would do.
 */
export function closeStalledReaders(app: FastifyInstance): void {
  app.server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || !isAnswering(socket)) socket.destroy()
  })
}
