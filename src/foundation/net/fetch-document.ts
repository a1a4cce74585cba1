import { lookup as resolveName } from 'node:dns/promises'
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as after } from 'node:timers'
import { STRANGER, walkJson } from '../json/json-walk.ts'
import { isLoopbackAddress, isPublicAddress } from './address.ts'
import {
  addressRefused,
  connectionFailure,
  type FetchFailure,
  type FetchTarget,
  fetchFailure,
  judgeTarget,
  nameNotResolved,
} from './fetch-target.ts'
import type { OutgoingObserver } from './outgoing.ts'
import { parseUrl } from './parse-url.ts'

export interface FetchOptions {
  readonly maxBytes?: number | undefined
  /**
   * One deadline for DNS, connection, headers and body, so that a slow server cannot extend it byte
   * by byte.
   */
  readonly timeoutMs?: number | undefined
  /** Permits http and any port for the hosts 127.0.0.1, localhost and [::1] only. */
  readonly allowLoopbackHttp?: boolean | undefined
  readonly lookup?: ((hostname: string) => Promise<readonly ResolvedAddress[]>) | undefined
  readonly ca?: string | undefined
  readonly observe?: OutgoingObserver | undefined
  /**
   * Which addresses and ports a public name may lead to. They are arguments so that a test can use
   * a server on this machine as a public one. They must never come from configuration: an operator
   * would one day turn on the switch that lets foreign URLs reach internal addresses, and forget
   * it.
   */
  readonly isAllowedAddress?: ((ip: string) => boolean) | undefined
  readonly allowedPorts?: readonly number[] | undefined
}

export type FetchResult =
  | { readonly ok: true; readonly json: unknown; readonly maxAgeSeconds: number | undefined }
  | FetchFailure

export const DEFAULT_MAX_BYTES = 5120
export const DEFAULT_TIMEOUT_MS = 5000

/**
 * Fetches a JSON document from a URL that a stranger chose, without giving the stranger access to
 * our network (SSRF): the name is resolved once, every address must be public, and only these
 * addresses are used, so a second DNS answer (rebinding) changes nothing. TLS checks the name in
 * the URL. Redirects fail, and so does every answer other than 200 with plain JSON.
 */
export async function fetchPublicJson(
  url: string | URL,
  options: FetchOptions = {},
): Promise<FetchResult> {
  const target = parseUrl(String(url))
  if (target === undefined) return fetchFailure('url_refused', 'This is not a URL.')
  const verdict = judgeTarget(target, options)
  if (!verdict.ok) return fetchFailure('url_refused', verdict.description)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const deadline = new AbortController()
  const timer = after(() => deadline.abort(), timeoutMs)
  const seen = options.observe?.({ method: 'GET', url: target, isOurs: false })
  try {
    const result = await fetchFrom(verdict.target, options, deadline.signal)
    seen?.ended(result.ok ? undefined : result.reason)
    return result
  } catch (error) {
    seen?.ended(deadline.signal.aborted ? 'timed_out' : 'no answer')
    if (!deadline.signal.aborted) return connectionFailure(error)
    return fetchFailure('timed_out', `The document did not arrive within ${timeoutMs} ms.`)
  } finally {
    clearTimeout(timer)
  }
}

async function fetchFrom(
  target: FetchTarget,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchResult> {
  const addresses = await resolveOnce(target, options, signal)
  if (addresses.length === 0) return nameNotResolved
  const isAllowed = target.loopback
    ? isLoopbackAddress
    : (options.isAllowedAddress ?? isPublicAddress)
  // One internal address among public ones is refused too: any of them might be used.
  if (!addresses.every(({ address }) => isAllowed(address))) return addressRefused

  const request = startPinnedRequest(target, addresses, { ca: options.ca, signal })
  try {
    const response = await responseHead(request)
    return await readJson(response, options.maxBytes ?? DEFAULT_MAX_BYTES)
  } finally {
    request.destroy()
  }
}

async function resolveOnce(
  { hostname }: FetchTarget,
  { lookup = resolveAll }: FetchOptions,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  // The system's resolver cannot be cancelled; its late answer is ignored.
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  const answer = lookup(hostname).catch(() => [])
  return await Promise.race([answer, interrupted])
}

function resolveAll(hostname: string): Promise<readonly ResolvedAddress[]> {
  return resolveName(hostname, { all: true })
}

async function readJson(response: IncomingMessage, maxBytes: number): Promise<FetchResult> {
  const refused = judgeHead(response)
  if (refused !== undefined) return refused
  const tooLarge = fetchFailure('too_large', `The document is larger than ${maxBytes} bytes.`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) return tooLarge
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received += chunk.length
    if (received > maxBytes) return tooLarge
    chunks.push(chunk)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    const { excess } = walkJson(text, STRANGER)
    if (excess !== undefined) return fetchFailure('not_json', excess)
    return { ok: true, json: JSON.parse(text), maxAgeSeconds: freshnessSeconds(response.headers) }
  } catch {
    return fetchFailure('not_json', 'The body is not valid JSON in UTF-8.')
  }
}

function judgeHead({ statusCode = 0, headers }: IncomingMessage): FetchFailure | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    return fetchFailure(
      'redirected',
      `The server answered with a redirect (${statusCode}). The document must be served at the URL itself.`,
    )
  }
  if (statusCode !== 200) {
    return fetchFailure('wrong_status', `The server answered ${statusCode} instead of 200.`)
  }
  // A few bytes of gzip can expand to gigabytes, so encoded bodies are refused.
  if (!/^(|identity)$/i.test(headers['content-encoding'] ?? '')) {
    return fetchFailure(
      'encoded_body',
      'The body is compressed although it was asked for as it is (Accept-Encoding: identity).',
    )
  }
  if (!/^application\/([\w.!#$&^+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    return fetchFailure(
      'wrong_content_type',
      'The document must be served as application/json or a type that ends in +json.',
    )
  }
  return undefined
}

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/**
 * Starts a GET that can reach only the given addresses. Always on a new connection: a pooled one
 * might lead to an address that the name had earlier.
 */
function startPinnedRequest(
  { url, hostname, port }: FetchTarget,
  addresses: readonly ResolvedAddress[],
  { ca, signal }: { ca: string | undefined; signal: AbortSignal },
): ClientRequest {
  const shared = {
    host: hostname,
    port,
    path: url.pathname + url.search,
    agent: false,
    lookup: answerWith(addresses),
    signal,
    headers: {
      accept: 'application/json',
      // Ask for no compression: the size of the expanded body would be unknown.
      'accept-encoding': 'identity',
      'user-agent': 'schoolgate',
    },
  } as const
  if (url.protocol === 'http:') return httpRequest(shared)
  return httpsRequest({
    ...shared,
    // Set here because an environment variable can turn off the default for the whole process.
    rejectUnauthorized: true,
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ...(ca !== undefined && { ca }),
  })
}

/** Sends the request. Resolves with the head of the response, or rejects if there is none. */
function responseHead(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // A server that answers with a protocol switch ends the connection without a response or an
    // error.
    request.on('close', () => reject(new Error('the connection closed before an answer')))
    request.end()
  })
}

function answerWith(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) return callback(null, [...addresses])
    const [first] = addresses
    return callback(null, first?.address ?? '', first?.family)
  }
}

/**
 * For how many seconds a response is fresh; undefined if the response does not say. Read like a
 * shared cache, because all clients share the stored copy.
 *
 * @see RFC 9111 §4.2.1, §5.2.2
 */
export function freshnessSeconds(
  headers: IncomingHttpHeaders,
  now: number = Date.now(),
): number | undefined {
  const directives = parseDirectives(headers['cache-control'] ?? '')
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return 0
  const declared =
    deltaSeconds(directives.get('s-maxage')) ?? deltaSeconds(directives.get('max-age'))
  const lifetime = declared ?? secondsUntilExpiry(headers, now)
  if (lifetime === undefined) return undefined
  return Math.max(0, lifetime - (deltaSeconds(headers.age) ?? 0))
}

function parseDirectives(header: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>()
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split('=', 2)
    const key = name.trim().toLowerCase()
    // The first of two contradicting values counts (RFC 9111 §4.2.1).
    if (!directives.has(key)) directives.set(key, value.trim().replace(/^"(.*)"$/, '$1'))
  }
  return directives
}

function deltaSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

function secondsUntilExpiry(headers: IncomingHttpHeaders, now: number): number | undefined {
  if (headers.expires === undefined) return undefined
  const expires = Date.parse(headers.expires)
  const date = Date.parse(headers.date ?? '')
  // An invalid date, often "0", means already expired (RFC 9111 §5.3).
  if (Number.isNaN(expires)) return 0
  return Math.max(0, Math.floor((expires - (Number.isNaN(date) ? now : date)) / 1000))
}
