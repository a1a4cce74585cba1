import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../crypto/digest.ts'

/** A document that stays the same for a while: serialised and hashed once, sent many times. */
export type ConstantDocument = {
  readonly body: string | Buffer
  readonly etag: string
  /** Headers of the answer that carries the body. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers of a 304, which refreshes the copy that the client already has. */
  readonly unchangedHeaders: Readonly<Record<string, string>>
}

export interface DocumentOptions {
  readonly maxAgeSeconds: number
  readonly contentType?: string
  /** The request header that chose this form of the document, if the address has several. */
  readonly vary?: string
  /**
   * Lets scripts of other sites read this form of an address that is closed to them in its other
   * form.
   */
  readonly anyOrigin?: boolean
}

export function constantDocument(value: unknown, options: DocumentOptions): ConstantDocument {
  return textDocument(JSON.stringify(value), options)
}

export function textDocument(body: string, options: DocumentOptions): ConstantDocument {
  return { body, ...headersFor(body, options) }
}

/** A long document that most schools share: it is put together for each answer, not cached. */
export function assembledDocument(
  /** Changes whenever the document changes. */
  version: string,
  assemble: () => Buffer,
  options: DocumentOptions,
): ConstantDocument {
  return {
    get body() {
      return assemble()
    },
    ...headersFor(version, options),
  }
}

function headersFor(version: string, options: DocumentOptions): Omit<ConstantDocument, 'body'> {
  const etag = `"${sha256(version).toString('base64url').slice(0, 27)}"`
  const unchangedHeaders = {
    etag,
    'cache-control': `public, max-age=${options.maxAgeSeconds}`,
    ...(options.vary === undefined ? {} : { vary: options.vary }),
    ...(options.anyOrigin === true ? { 'access-control-allow-origin': '*' } : {}),
  }
  const headers = {
    ...unchangedHeaders,
    'content-type': options.contentType ?? 'application/json; charset=utf-8',
  }
  return { etag, headers, unchangedHeaders }
}

/**
 * Sends the document, or 304 to a client that already has it.
 *
 * @see RFC 9110 §15.4.5
 */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: ConstantDocument,
): FastifyReply {
  return matchesNone(request.headers['if-none-match'], document.etag)
    ? reply.headers(document.headers).send(document.body)
    : reply.code(304).headers(document.unchangedHeaders).send()
}

/**
 * Whether `If-None-Match` lets the request through. Tags are compared weakly: a proxy that
 * compressed the answer may have marked our strong tag `W/`.
 *
 * @see RFC 9110 §13.1.2
 */
export function matchesNone(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return true
  if (ifNoneMatch.trim() === '*') return false
  const opaque = etag.replace(/^W\//, '')
  const listed: readonly string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return !listed.includes(opaque)
}

/**
 * Whether the caller would rather be told where the work goes on than wait for it. Unknown
 * preferences are ignored.
 *
 * @see RFC 7240 §2 and §4.1
 */
export function prefersAsync(headers: IncomingHttpHeaders): boolean {
  const given = headers.prefer
  const text = Array.isArray(given) ? given.join(',') : (given ?? '')
  return text.split(',').some((part) => {
    const [name = ''] = part.split(';')
    return name.trim().toLowerCase() === 'respond-async'
  })
}

type MediaRange = { readonly type: string; readonly subtype: string; readonly quality: number }

const HEADER_LIMIT = 2048
const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+"
const RANGE = new RegExp(`^\\s*(${TOKEN})/(${TOKEN})\\s*(?:;(.*))?$`, 's')
const QUALITY = /(?:^|;)\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)/

/**
 * Chooses one of the media types that we can answer with. Where the caller has no preference, the
 * first one wins. Undefined means that the caller accepts none of them (406).
 *
 * Parameters other than `q` are ignored: we offer no type in two shapes, and callers commonly add
 * `charset=utf-8`.
 *
 * @see RFC 9110 §12.5.1
 */
export function chooseMediaType<T extends string>(
  accept: string | undefined,
  offers: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offers[0]
  const ranges = parseAccept(accept)
  let best: T | undefined
  let bestQuality = 0
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality > bestQuality) {
      best = offer
      bestQuality = quality
    }
  }
  return best
}

/** Whether an error or a 404 should be a page: true for browsers, false for programs. */
export function wantsHtml(accept: string | undefined): boolean {
  return chooseMediaType(accept, ['application/json', 'text/html']) === 'text/html'
}

function parseAccept(accept: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (const part of accept.slice(0, HEADER_LIMIT).toLowerCase().split(',')) {
    const range = RANGE.exec(part)
    if (range?.[1] === undefined || range[2] === undefined) continue
    ranges.push({ type: range[1], subtype: range[2], quality: parseQuality(range[3]) })
  }
  return ranges
}

/** A `q` that is not a number between 0 and 1 counts as 0, not as 1. */
function parseQuality(parameters: string | undefined): number {
  if (parameters === undefined || !/(?:^|;)\s*q\s*=/.test(parameters)) return 1
  const quality = QUALITY.exec(parameters)?.[1]
  return quality === undefined ? 0 : Number(quality)
}

/** The most specific range decides, even when it says 0. */
function qualityOf(offer: string, ranges: readonly MediaRange[]): number {
  const [type, subtype] = offer.split('/')
  let specificity = 0
  let quality = 0
  for (const range of ranges) {
    const found = specificityOf(range, type, subtype)
    if (found > specificity || (found === specificity && found > 0 && range.quality > quality)) {
      specificity = found
      quality = range.quality
    }
  }
  return quality
}

function specificityOf(
  range: MediaRange,
  type: string | undefined,
  subtype: string | undefined,
): number {
  if (range.type === '*') return range.subtype === '*' ? 1 : 0
  if (range.type !== type) return 0
  if (range.subtype === '*') return 2
  return range.subtype === subtype ? 3 : 0
}
