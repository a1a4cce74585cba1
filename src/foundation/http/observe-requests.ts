import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { closeWithConnection } from './request-line.ts'

/** The result of a request to a school that is suspended. */
export const SUSPENDED = 'suspended'

/** What a surface reports about a request to logs and metrics. Never put a secret here. */
export type RequestOutcome = {
  surface?: string
  school?: string
  clientId?: string
  personId?: string
  /** An OAuth error code or another short word; absent means `ok`, or `failed` from 400 up. */
  result?: string
}

export type FinishedRequest = {
  readonly log: FastifyBaseLogger
  readonly method: string
  /** The pattern of the route, such as `/api/v1/courses/:id`; absent when none matched. */
  readonly route: string | undefined
  readonly url: string
  readonly status: number
  readonly milliseconds: number
  /** The connection ended before the answer was sent. */
  readonly aborted: boolean
  readonly outcome: RequestOutcome
}

export type ObservedRequest = {
  readonly raw: IncomingMessage
  readonly id: string
  /** Of the caller, as a trusted proxy names it. */
  readonly ip: string
  readonly tenant?: string
}

export type RequestObserver = {
  readonly started?: (request: ObservedRequest, response: ServerResponse) => void
  /** Calls `next`, and with it all further work of the request, in a context of its own. */
  readonly within?: (request: ObservedRequest, next: () => void) => void
  readonly finished: (finished: FinishedRequest, request: ObservedRequest) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    outcome: RequestOutcome
    /** Absent if Fastify refused the request before it ran any hook. */
    startedAt?: number
    /** The id of the school that it was sent to, once it is known. */
    tenant?: string
  }
}

/**
 * Calls every observer exactly once at a request's start and end, even if the client disconnects.
 */
export function observeRequests(app: FastifyInstance, observers: readonly RequestObserver[]): void {
  const tell = (request: FastifyRequest, reply: FastifyReply, aborted: boolean): void => {
    const finished = describeFinished(request, reply, aborted)
    for (const observer of observers) observer.finished(finished, request)
  }
  const contexts = observers.flatMap(({ within }) => within ?? [])
  app.decorateRequest('outcome')
  app.decorateRequest('startedAt')
  app.decorateRequest('tenant')
  app.addHook('onRequest', (request, reply, done) => {
    request.outcome = {}
    request.startedAt = performance.now()
    for (const observer of observers) observer.started?.(request, reply.raw)
    let hasEnded = false
    // A simulated request emits 'finish' twice, and 'close' follows it.
    const end = (aborted: boolean): void => {
      if (hasEnded) return
      hasEnded = true
      tell(request, reply, aborted)
    }
    // Node emits 'finish' also for an answer that it still held when the connection was destroyed.
    reply.raw.on('finish', () => end(request.raw.socket.destroyed))
    // Fastify's own abort hook misses clients that disconnect after their body was read.
    closeWithConnection(request.raw, reply.raw, () => end(true))
    done()
  })
  for (const within of contexts) {
    const enter = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void =>
      within(request, done)
    app.addHook('onRequest', enter)
    // Again, because the body arrives in the context of its connection.
    app.addHook('preValidation', enter)
  }
}

/** Exported for the few errors that Fastify answers without running its hooks. */
export function describeFinished(
  request: FastifyRequest,
  reply: FastifyReply,
  aborted: boolean,
): FinishedRequest {
  return {
    log: request.log,
    method: request.method,
    route: request.routeOptions.url,
    url: request.raw.url ?? '',
    status: reply.raw.statusCode,
    milliseconds: request.startedAt === undefined ? 0 : performance.now() - request.startedAt,
    aborted,
    outcome: request.outcome ?? {},
  }
}

/** Names the surface that every request of this scope belongs to. */
export function nameSurface(scope: FastifyInstance, surface: string): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    request.outcome.surface = surface
    done()
  })
}
