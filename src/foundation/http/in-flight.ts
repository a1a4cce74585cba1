import type { ObservedRequest, RequestObserver } from './observe-requests.ts'

export type InFlight = RequestObserver & {
  readonly count: () => number
  /** Resolves as soon as no request is being answered. */
  readonly drained: () => Promise<void>
  /** Closes the connection of every request that is not answered yet. */
  readonly disconnectAll: () => void
}

/**
 * Keeps the set of requests that are being answered. Fastify's `close` does not wait for requests of
 * the second listener that it opens for `localhost`; this does.
 */
export function trackInFlight(): InFlight {
  const running = new Set<ObservedRequest>()
  let waiting: (() => void)[] = []
  return {
    started: (request) => void running.add(request),
    finished(_finished, request) {
      running.delete(request)
      if (running.size > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
    count: () => running.size,
    drained: () =>
      running.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve)
          }),
    disconnectAll() {
      for (const request of running) request.raw.socket.destroy()
    },
  }
}
