import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { worksFor } from '../concurrency/usage-meter.ts'
import { type JsonLimits, KNOWN_CALLER, walkJson } from '../json/json-walk.ts'
import { BodyTooLargeError, RequestRefusedError } from './client-fault.ts'

/**
 * Makes a scope accept `application/x-www-form-urlencoded`. `parse` gets the text exactly as sent
 * and its result becomes `request.body`; the scope's error handler answers the errors it throws.
 * Content types that a scope does not accept are answered 415.
 */
export function acceptForms(
  scope: FastifyInstance,
  parse: (text: string) => unknown,
  bodyBytes: number,
): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bodyBytes },
    ({ tenant = '' }, body, done) => {
      worksFor(tenant)
      done(null, parse(String(body)))
    },
  )
}

interface JsonOptions {
  readonly types?: readonly string[]
  readonly bodyBytes?: number
  readonly limits?: JsonLimits
  /** Called with the length of a body before anything is done with it. */
  readonly onLength?: (request: FastifyRequest, characters: number) => void
}

/**
 * Makes a scope accept JSON. Refused before it is parsed: what is nested too deep or has too many
 * members. Refused like text that is not JSON: objects with a `__proto__` or a
 * `constructor.prototype`, before they reach code that merges objects (prototype pollution).
 */
export function acceptJson(scope: FastifyInstance, options: JsonOptions = {}): void {
  const { types = ['application/json'], bodyBytes, limits = KNOWN_CALLER, onLength } = options
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.addContentTypeParser(
    [...types],
    { parseAs: 'string', ...(bodyBytes === undefined ? {} : { bodyLimit: bodyBytes }) },
    (request, body, done) => {
      worksFor(request.tenant ?? '')
      const text = String(body)
      onLength?.(request, text.length)
      const { excess } = walkJson(text, limits)
      if (excess === undefined) parse(request, text, done)
      else done(new RequestRefusedError(400, excess))
    },
  )
}

/**
 * Reads the body of a request whose content type has a parser that passes the stream on. For routes
 * that must know the caller before they know how much they read.
 */
export function readText(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let size = 0
    const take = (piece: Buffer): void => {
      size += piece.length
      if (size <= maxBytes) pieces.push(piece)
      else refuse()
    }
    const refuse = (): void => {
      raw.off('data', take)
      // The rest is read and dropped, so that the client gets the answer.
      raw.resume()
      reply.header('connection', 'close')
      reject(new BodyTooLargeError(maxBytes))
    }
    if (Number(raw.headers['content-length'] ?? 0) > maxBytes) {
      refuse()
      return
    }
    const stop = (): void => {
      // A request that was read to its end closes too.
      if (raw.readableEnded) return
      reject(new RequestRefusedError(400, 'The request body is incomplete.'))
    }
    raw.on('data', take)
    raw.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')))
    raw.on('error', stop)
    raw.on('close', stop)
  })
}

/**
 * The query exactly as the client sent it, without `?`. Fastify's parser merges repeated
 * parameters, but OAuth must see and refuse them.
 *
 * @see RFC 6749 §3.1
 */
export function rawQuery(url: string): string {
  const end = url.indexOf('#')
  const start = url.indexOf('?')
  if (start === -1 || (end !== -1 && end < start)) return ''
  return url.slice(start + 1, end === -1 ? undefined : end)
}

/** Only the path: query and fragment may hold codes, tokens and email addresses. */
export function rawPath(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const fragment = path.indexOf('#')
  return fragment === -1 ? path : path.slice(0, fragment)
}
