import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { RequestObserver } from './observe-requests.ts'

export type Closer = { readonly name: string; readonly close: () => Promise<unknown> | unknown }

export type ShutdownOptions = {
  readonly app: Pick<FastifyInstance, 'close' | 'server'>
  readonly inFlight: InFlight
  readonly log: FastifyBaseLogger
  /** How long readiness fails before the port closes: load balancers need time to notice. */
  readonly noticeMs: number
  /** How long requests may take to finish after that. */
  readonly drainMs: number
  /** How long each closer may take. */
  readonly closerMs: number
  /**
   * Called in this order once no request is left: what uses a resource comes before the resource.
   */
  readonly closers: readonly Closer[]
}

/** `clean` means that every request was answered and every closer succeeded. */
export type ShutdownResult = 'clean' | 'forced'

export type Shutdown = {
  /** For the readiness probe, which must fail before anything closes. */
  readonly isDraining: () => boolean
  /** Starts once; every caller gets the same result. */
  readonly begin: (reason: string) => Promise<ShutdownResult>
  /** Stops waiting for requests and runs the closers at once. */
  readonly force: () => void
}

export function createShutdown(options: ShutdownOptions): Shutdown {
  const { app, inFlight, log } = options
  const forced = new AbortController()
  let result: Promise<ShutdownResult> | undefined

  async function run(reason: string): Promise<ShutdownResult> {
    log.info({ reason, inFlight: inFlight.count() }, 'shutting down')
    await settled(new Promise(() => undefined), options.noticeMs, forced.signal)
    const isDrained = await settled(closeAndDrain(options), options.drainMs, forced.signal)
    if (!isDrained) {
      log.warn({ inFlight: inFlight.count() }, 'disconnecting requests that did not finish')
      inFlight.disconnectAll()
      app.server.closeAllConnections()
    }
    const areClosed = await runClosers(options)
    const outcome = isDrained && areClosed ? 'clean' : 'forced'
    log.info({ outcome }, 'shut down')
    return outcome
  }

  return {
    isDraining: () => result !== undefined,
    begin(reason) {
      result ??= run(reason)
      return result
    },
    force: () => forced.abort(),
  }
}

/**
 * The first signal shuts down, a second one stops waiting for requests, a third one ends the
 * process at once.
 */
export function shutDownOnSignals(
  shutdown: Shutdown,
  host: Pick<NodeJS.Process, 'on' | 'exit'>,
): void {
  let received = 0
  const onSignal = (signal: NodeJS.Signals) => {
    received += 1
    if (received === 1) {
      void shutdown.begin(signal).then((result) => host.exit(result === 'clean' ? 0 : 1))
    } else if (received === 2) shutdown.force()
    else host.exit(1)
  }
  host.on('SIGTERM', onSignal)
  host.on('SIGINT', onSignal)
}

async function closeAndDrain({ app, inFlight, log }: ShutdownOptions): Promise<void> {
  inFlight.closeConnections()
  // A hook that fails on close must not keep the database from being closed properly.
  await app
    .close()
    .catch((error: unknown) => log.error({ err: error }, 'the HTTP server failed to close'))
  await inFlight.drained()
}

async function runClosers({ closers, closerMs, log }: ShutdownOptions): Promise<boolean> {
  let areClosed = true
  for (const closer of closers) {
    try {
      const closing = Promise.resolve(closer.close())
      if (await settled(closing, closerMs)) continue
      log.error({ closer: closer.name }, 'did not close in time')
    } catch (error) {
      log.error({ err: error, closer: closer.name }, 'could not be closed')
    }
    areClosed = false
  }
  return areClosed
}

/** True if `work` ends before the time limit and before `signal`; rethrows an error of `work`. */
function settled(work: Promise<unknown>, limitMs: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(giveUp, limitMs)
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp, { once: true })
    work.then(
      () => {
        clearTimeout(timer)
        resolve(true)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

type InFlight = RequestObserver & {
  readonly count: () => number
  /** Resolves as soon as no request is being answered. */
  readonly drained: () => Promise<void>
  /** From now on each connection ends with the last answer that it waits for, which says so. */
  readonly closeConnections: () => void
  /** Closes every connection on which a request came. */
  readonly disconnectAll: () => void
}

/**
 * Counts the requests that are being answered. Fastify's `close` does not wait for requests of
 * the second listener that it opens for `localhost`; this does. It keeps the answers that each
 * connection waits for, in their order, and nothing of finished requests (see `request-line.ts`).
 */
export function trackInFlight(): InFlight {
  const connections = new Map<Socket, Map<IncomingMessage, ServerResponse>>()
  let isClosing = false
  let running = 0
  let waiting: (() => void)[] = []
  return {
    started({ raw }, response) {
      running++
      const { socket } = raw
      const awaited = connections.get(socket)
      if (awaited !== undefined) {
        awaited.set(raw, response)
        return
      }
      connections.set(socket, new Map([[raw, response]]))
      socket.once('close', () => connections.delete(socket))
    },
    finished(_finished, { raw }) {
      running--
      const awaited = connections.get(raw.socket)
      awaited?.delete(raw)
      if (isClosing && awaited?.size === 0) raw.socket.destroySoon()
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
    closeConnections() {
      isClosing = true
      for (const awaited of connections.values()) {
        const last = [...awaited.values()].at(-1)
        if (last?.headersSent === false) last.setHeader('connection', 'close')
      }
    },
    disconnectAll() {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}

const signals = new WeakMap<ServerResponse, AbortSignal>()

/**
 * Aborted once the connection is closed before the whole answer was sent. One signal for each
 * answer.
 */
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
