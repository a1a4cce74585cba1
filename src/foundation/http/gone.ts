import type { ServerResponse } from 'node:http'

const signals = new WeakMap<ServerResponse, AbortSignal>()

/** Aborted once the connection is closed before the whole answer was sent. One signal for each answer. */
export function whenGone(response: ServerResponse): AbortSignal {
  const known = signals.get(response)
  if (known !== undefined) return known
  const gone = new AbortController()
  const abortIfUnfinished = (): void => {
    if (!response.writableFinished) gone.abort()
  }
  if (response.destroyed) abortIfUnfinished()
  response.once('close', abortIfUnfinished)
  signals.set(response, gone.signal)
  return gone.signal
}
