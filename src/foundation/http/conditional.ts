import type { FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../crypto/digest.ts'
import { CROSS_ORIGIN_HEADERS } from './cross-origin.ts'

/** A JSON document that stays the same for a while: serialised and hashed once, sent many times. */
export type ConstantDocument = {
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  /** Names and values in turn, as Node takes them: of the whole answer, and of one without the body. */
  readonly heads: { readonly whole: readonly string[]; readonly unchanged: readonly string[] }
}

const ALLOW_ORIGIN = 'access-control-allow-origin'

/** What a 304 need not repeat: the caller has it from the answer that it keeps. */
const OF_THE_WHOLE = [
  'content-type',
  'x-content-type-options',
  'access-control-expose-headers',
] as const

export function constantDocument(
  value: unknown,
  options: { readonly maxAgeSeconds: number; readonly contentType?: string },
): ConstantDocument {
  const body = JSON.stringify(value)
  const etag = `"${sha256(body).toString('base64url').slice(0, 27)}"`
  const unchanged = {
    etag,
    'cache-control': `public, max-age=${options.maxAgeSeconds}`,
  }
  const headers = {
    ...unchanged,
    'x-content-type-options': 'nosniff',
    'content-type': options.contentType ?? 'application/json; charset=utf-8',
  }
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  const heads = {
    whole: inTurn({ ...CROSS_ORIGIN_HEADERS, ...headers, ...length }),
    unchanged: inTurn({ [ALLOW_ORIGIN]: CROSS_ORIGIN_HEADERS[ALLOW_ORIGIN], ...unchanged }),
  }
  return { body, etag, headers, heads }
}

function inTurn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flat()
}

/**
 * Sends the document, or 304 to a caller that already has it.
 *
 * @see RFC 9110 §15.4.5
 */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: ConstantDocument,
): FastifyReply {
  reply.headers(document.headers)
  if (matchesNone(request.headers['if-none-match'], document.etag)) {
    return reply.send(document.body)
  }
  for (const name of OF_THE_WHOLE) reply.removeHeader(name)
  return reply.code(304).send()
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
