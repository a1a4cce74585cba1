import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The answers of each connection that are not finished yet. Arrays, because a Set or a Map that changes with every request
 * replaces its table again and again. V8 links each table to the next one, so an old table keeps all later ones in memory,
 * with the requests that were in them, until the next collection of the whole heap.
 */
const unfinished = new WeakMap<Socket, ServerResponse[]>()

/** Whether a request of this connection is being answered. */
export function isAnswering(socket: Socket): boolean {
  return (unfinished.get(socket)?.length ?? 0) > 0
}

/**
 * Closes an answer when its connection closes. If a client sends further requests without waiting for the first answer,
 * Node closes only the answer that is being sent: the others would count as running for ever, and their work would never
 * be cancelled. Node 24 closes them as well, so a listener must be ready for a second 'close'; `closed` is called once.
 */
export function closeWithConnection(
  { socket }: IncomingMessage,
  response: ServerResponse,
  closed: () => void,
): void {
  const answers = unfinished.get(socket) ?? watch(socket)
  answers.push(response)
  response.once('close', () => {
    const place = answers.indexOf(response)
    if (place !== -1) answers.splice(place, 1)
    closed()
  })
}

function watch(socket: Socket): ServerResponse[] {
  const answers: ServerResponse[] = []
  unfinished.set(socket, answers)
  socket.once('close', () => {
    // A copy: each answer leaves the list when it closes.
    for (const response of [...answers]) {
      // An answer has its socket while it is sent; Node closes that one.
      if (response.socket === null) response.destroy().emit('close')
    }
  })
  return answers
}
