import type { ObservedRequest, RequestObserver } from './observe-requests.ts'

export type InFlight = RequestObserver & {
  readonly count: () => number
  /** Resolves as soon as no request is being answered. */
  readonly drained: () => Promise<void>
  /** Hangs up on everybody who is still waiting. */
  readonly cut: () => void
}

/**
 * Knows the requests being answered. Fastify does not wait for those that came in through the
 * second listener it opens for `localhost`; this does.
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
    cut() {
      for (const request of running) request.raw.socket.destroy()
    },
  }
}
