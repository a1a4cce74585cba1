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
  /** Lets scripts of other sites read this form of an address that is closed to them in its other form. */
  readonly anyOrigin?: boolean
}

export function constantDocument(value: unknown, options: DocumentOptions): ConstantDocument {
  return textDocument(JSON.stringify(value), options)
}

export function textDocument(body: string, options: DocumentOptions): ConstantDocument {
  return { body, ...headersFor(body, options) }
}

/** The same for a long document that most schools share: it is put together for each answer, not kept. */
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
