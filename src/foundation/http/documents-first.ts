import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { type ConstantDocument, matchesNone } from './conditional.ts'
import type {
  FinishedRequest,
  ObservedRequest,
  RequestObserver,
  RequestOutcome,
} from './observe-requests.ts'
import { RequestLogger } from './request-logger.ts'

/** A document that is known without waiting for anything, and what observers are told of it. */
export interface DocumentAtHand {
  readonly document: ConstantDocument
  readonly outcome: RequestOutcome
}

export interface DocumentsFirst {
  readonly find: (message: IncomingMessage) => DocumentAtHand | undefined
  readonly createId: (message: IncomingMessage) => string
  readonly observers: readonly RequestObserver[]
  readonly logger: FastifyBaseLogger
}

/**
 * Sends documents that are at hand before the routes are looked at: what clients fetch most often is
 * the same for all of them, and the way to a route costs as much as the answer. Whatever is not at hand
 * takes that way and gets the same answer there.
 */
export function answerDocumentsFirst(server: Server, first: DocumentsFirst): void {
  const [handle] = server.listeners('request') as RequestListener[]
  if (handle === undefined) throw new Error('the server has no routes yet')
  server.removeAllListeners('request')
  server.on('request', (message, response) => {
    const isAsked = message.method === 'GET' || message.method === 'HEAD'
    // While the server closes, the routes do: they tell connections to close as well.
    const found = isAsked && server.listening ? first.find(message) : undefined
    if (found === undefined) handle.call(server, message, response)
    else answer(message, response, found, first)
  })
}

function answer(
  message: IncomingMessage,
  response: ServerResponse,
  { document, outcome }: DocumentAtHand,
  { createId, observers, logger }: DocumentsFirst,
): void {
  const id = createId(message)
  const isNew = matchesNone(message.headers['if-none-match'], document.etag)
  const head = (isNew ? document.heads.whole : document.heads.unchanged).slice()
  head.push('x-request-id', id)
  response.writeHead(isNew ? 200 : 304, head)
  response.end(isNew ? document.body : undefined)
  const finished = new SentDocument(message, response.statusCode, outcome, id, logger)
  for (const observer of observers) observer.finished(finished, finished)
}

class SentDocument implements FinishedRequest, ObservedRequest {
  readonly raw: IncomingMessage
  readonly status: number
  readonly outcome: RequestOutcome
  readonly #id: string
  readonly #logger: FastifyBaseLogger

  constructor(
    raw: IncomingMessage,
    status: number,
    outcome: RequestOutcome,
    id: string,
    logger: FastifyBaseLogger,
  ) {
    this.raw = raw
    this.status = status
    this.outcome = outcome
    this.#id = id
    this.#logger = logger
  }

  get method(): string {
    return this.raw.method ?? ''
  }

  get route(): string | undefined {
    return this.raw.url
  }

  get url(): string {
    return this.raw.url ?? ''
  }

  /** It was sent in the turn in which it was asked for. */
  get milliseconds(): number {
    return 0
  }

  get aborted(): boolean {
    return false
  }

  /** Made when a line is to be written, which mostly none is. */
  get log(): FastifyBaseLogger {
    return new RequestLogger(this.#logger, { requestId: this.#id })
  }
}
