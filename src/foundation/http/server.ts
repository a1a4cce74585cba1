import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { TrustProxy } from './client-address.ts'
import { RequestRefusedError } from './client-fault.ts'
import { usageObserver } from './count-usage.ts'
import { answerLastResort, answerNotFound } from './last-resort.ts'
import { requestIds, requestLog } from './logging.ts'
import { describeFinished, observeRequests, type RequestObserver } from './observe-requests.ts'
import { isAnswering } from './request-line.ts'
import { NO_SNIFFING } from './security-headers.ts'

type ChildSettings = NonNullable<Parameters<FastifyBaseLogger['child']>[1]>
type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/**
 * The logger of one request. Most requests never use it, so the child logger that adds the
 * request's id to every line is created at the first line.
 */
class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Bindings
  readonly #settings: ChildSettings
  #child: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings, settings: ChildSettings = {}) {
    this.#parent = parent
    this.#bindings = bindings
    this.#settings = settings
  }

  get level(): string {
    return this.#child?.level ?? this.#settings.level ?? this.#parent.level
  }

  set level(level: string) {
    this.#made().level = level
  }

  fatal(...line: unknown[]): void {
    this.#write('fatal', line)
  }

  error(...line: unknown[]): void {
    this.#write('error', line)
  }

  warn(...line: unknown[]): void {
    this.#write('warn', line)
  }

  info(...line: unknown[]): void {
    this.#write('info', line)
  }

  debug(...line: unknown[]): void {
    this.#write('debug', line)
  }

  trace(...line: unknown[]): void {
    this.#write('trace', line)
  }

  silent(): void {}

  child(bindings: Bindings, settings?: ChildSettings): FastifyBaseLogger {
    return this.#made().child(bindings, settings)
  }

  #write(level: Level, line: unknown[]): void {
    const logger = this.#made()
    Reflect.apply(logger[level], logger, line)
  }

  #made(): FastifyBaseLogger {
    this.#child ??= this.#parent.child(this.#bindings, this.#settings)
    return this.#child
  }
}

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
  /**
   * A client that reads nothing of its answer for this long, or up to twice as long, is
   * disconnected.
   */
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
  // Longer than the 60 s of common proxies: if we close first, a request that the proxy has just
  // sent reaches a closed socket.
  keepAliveTimeoutMs: 65_000,
  stalledReaderMs: 60_000,
  timeoutCheckMs: 5_000,
}

export type HttpServerOptions = {
  readonly logger: FastifyBaseLogger
  readonly trust: TrustProxy
  readonly limits?: Partial<HttpLimits>
  /** Whether the line of each request has the address of its caller. */
  readonly logsAddresses?: boolean | undefined
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
  const observers = [
    requestLog(options.logger, options.logsAddresses),
    usageObserver,
    ...(options.observers ?? []),
  ]
  const app = fastify({
    // Fastify's request log is off, since it has the URL with its query. An observer writes our
    // line.
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
        observer.started?.(request, reply.raw)
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
      // Answered here: a surface's error handler may need values that its hooks set, and they do
      // not run.
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

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Answers bytes that are not an HTTP request. The answer has no detail and repeats none of the
 * bytes, so a client that probes the parser learns nothing.
 *
 * @see RFC 9110 §15.5.1
 */
function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // While an earlier request of this connection is being answered, bytes written here would end up
  // inside or before that answer, and a proxy would hand them to another client.
  if (socket.writable && !isAnswering(socket)) {
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400
    const reason = STATUS_CODES[status] ?? 'Bad Request'
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\n` +
        'Connection: close\r\n' +
        'Content-Type: text/plain; charset=utf-8\r\n' +
        'X-Content-Type-Options: nosniff\r\n' +
        `Content-Length: ${reason.length + 1}\r\n\r\n${reason}\n`,
    )
  }
  socket.destroy()
}

/**
 * Disconnects a client that reads nothing of its answer for the server's `connectionTimeout`: the
 * unread part stays in our memory. Node restarts the time-out at every read, every write and
 * whenever part of a large write has been sent, so a slow reader that makes progress stays
 * connected.
 *
 * A listener on the response replaces Node's default, which would also disconnect a client that
 * waits for an answer we still prepare. Idle connections have no response, and Node closes them.
 */
function closeStalledReaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.on('timeout', closeIfUnread)
    done()
  })
}

function closeIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}
