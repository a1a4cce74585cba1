import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answers of each connection that are not finished yet. */
const unfinished = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Closes an answer when its connection closes. If a client sends further requests without waiting for the first answer,
 * Node closes only the answer that is being sent: the others would count as running for ever, and their work would never
 * be cancelled.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const answers = unfinished.get(socket) ?? watch(socket)
  answers.add(response)
  response.once('close', () => answers.delete(response))
}

function watch(socket: Socket): Set<ServerResponse> {
  const answers = new Set<ServerResponse>()
  unfinished.set(socket, answers)
  socket.once('close', () => {
    for (const response of answers) {
      // An answer has its socket while it is sent; Node closes that one.
      if (response.socket === null) response.destroy().emit('close')
    }
  })
  return answers
}
