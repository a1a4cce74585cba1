import type { Socket } from 'node:net'
import type { RequestObserver } from './observe-requests.ts'

export type InFlight = RequestObserver & {
  readonly count: () => number
  /** Resolves as soon as no request is being answered. */
  readonly drained: () => Promise<void>
  /** Closes every connection on which a request came. */
  readonly disconnectAll: () => void
}

/**
 * Counts the requests that are being answered. Fastify's `close` does not wait for requests of
 * the second listener that it opens for `localhost`; this does. It keeps the connections and no set of requests, which would
 * keep finished requests in memory (see `queued-answers.ts`).
 */
export function trackInFlight(): InFlight {
  const connections = new Set<Socket>()
  let running = 0
  let waiting: (() => void)[] = []
  return {
    started({ raw: { socket } }) {
      running++
      if (connections.has(socket)) return
      connections.add(socket)
      socket.once('close', () => connections.delete(socket))
    },
    finished() {
      running--
      if (running > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
    count: () => running,
    drained: () =>
      running === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve)
          }),
    disconnectAll() {
      for (const socket of connections) socket.destroy()
    },
  }
}
