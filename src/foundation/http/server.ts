import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { RequestRefusedError } from './client-fault.ts'
import { answerLastResort, answerNotFound } from './last-resort.ts'
import { requestLog } from './logging.ts'
import { answerMalformed } from './malformed.ts'
import { describeFinished, observeRequests, type RequestObserver } from './observe-requests.ts'
import { requestIds } from './request-id.ts'
import { RequestLogger } from './request-logger.ts'
import { NO_SNIFFING } from './security-headers.ts'
import { closeStalledReaders } from './stalled-readers.ts'
import type { TrustProxy } from './trust-proxy.ts'

export type HttpLimits = {
  /** Bodies of JSON routes; forms have their own, smaller limit. */
  readonly bodyBytes: number
  /** RFC 9110 §4.1 asks for at least 8000; authorization requests with long states need room. */
  readonly urlLength: number
  readonly headerBytes: number
  readonly pathParameterLength: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** A client that reads nothing of its answer for this long, or up to twice as long, is disconnected. */
  readonly stalledReaderMs: number
  /** How often Node looks for requests that exceed their time. */
  readonly timeoutCheckMs: number
}

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1024 * 1024,
  urlLength: 8192,
  headerBytes: 16 * 1024,
  pathParameterLength: 512,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  // Longer than the 60 s of common proxies: if we close first, a request that the proxy has just sent
  // reaches a closed socket.
  keepAliveTimeoutMs: 65_000,
  stalledReaderMs: 60_000,
  timeoutCheckMs: 5_000,
}

export type HttpServerOptions = {
  readonly logger: FastifyBaseLogger
  readonly trust: TrustProxy
  readonly limits?: Partial<HttpLimits>
  /** Called at every request's end, after the log line. */
  readonly observers?: readonly RequestObserver[]
  /** The answer if no route and no handler of a surface matches. */
  readonly notFound?: (request: FastifyRequest, reply: FastifyReply) => unknown
}

/**
 * A server without routes: it parses no body and no query string, and its error answers show no
 * detail. Each surface adds, in its own scope, the content types it accepts and its error format.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const limits = { ...defaultHttpLimits, ...options.limits }
  const observers = [requestLog(options.logger), ...(options.observers ?? [])]
  const app = fastify({
    // Fastify's request log is off, since it has the URL with its query. An observer writes our line.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    childLoggerFactory: (_none, bindings, settings) =>
      new RequestLogger(options.logger, bindings, settings),
    genReqId: requestIds(options.trust),
    trustProxy: options.trust.trusts,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionTimeout: limits.stalledReaderMs,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      // Checked below: Node's own refusal has none of our headers and appears in no log.
      requireHostHeader: false,
    },
    routerOptions: {
      maxParamLength: limits.pathParameterLength,
      querystringParser: () => ({}),
    },
    forceCloseConnections: 'idle',
    // A request that arrives on an open connection while we close is still answered, with
    // `Connection: close`: refusing a refresh would sign a person out because of a restart.
    return503OnClosing: false,
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) => {
      answerLastResort(error, request, reply)
      const finished = describeFinished(request, reply, false)
      for (const observer of observers) {
        observer.started?.(request)
        observer.finished(finished, request)
      }
    },
  })
  closeStalledReaders(app)
  // RFC 9110 §10.1.1: an expectation that we do not know.
  app.server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, NO_SNIFFING).end()
  })
  observeRequests(app, observers)
  app.removeAllContentTypeParsers()
  app.setErrorHandler(answerLastResort)
  app.setNotFoundHandler(options.notFound ?? ((request, reply) => answerNotFound(request, reply)))
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(NO_SNIFFING)
    if (lacksHost(request)) {
      answerLastResort(new RequestRefusedError(400, 'Send a Host header.'), request, reply)
      return
    }
    if (isTooLong(request, limits.urlLength)) {
      // Answered here: a surface's error handler may need values that its hooks set, and they do not run.
      answerLastResort(new RequestRefusedError(414, tooLong(limits.urlLength)), request, reply)
      return
    }
    done()
  })
  return app
}

function tooLong(limit: number): string {
  return `The URL is too long: send at most ${limit} characters.`
}

/** @see RFC 9112 §3.2 */
function lacksHost({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersion !== '1.0'
}

function isTooLong(request: FastifyRequest, limit: number): boolean {
  return (request.raw.url?.length ?? 0) > limit
}
