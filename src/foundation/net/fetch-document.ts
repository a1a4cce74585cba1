import { lookup as resolveName } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { setTimeout as after } from 'node:timers'
import { STRANGER, walkJson } from '../json/json-walk.ts'
import { isLoopbackAddress, isPublicAddress } from './address.ts'
import {
  addressRefused,
  connectionFailure,
  type FetchFailure,
  fetchFailure,
  nameNotResolved,
} from './fetch-failure.ts'
import { type FetchTarget, judgeTarget } from './fetch-target.ts'
import type { OutgoingObserver } from './outgoing.ts'
import { parseUrl } from './parse-url.ts'
import { type ResolvedAddress, responseHead, startPinnedRequest } from './pinned-request.ts'
import { freshnessSeconds } from './response-freshness.ts'

export interface FetchOptions {
  readonly maxBytes?: number | undefined
  /** One deadline for DNS, connection, headers and body, so that a slow server cannot extend it byte by byte. */
  readonly timeoutMs?: number | undefined
  /** Permits http and any port for the hosts 127.0.0.1, localhost and [::1] only. */
  readonly allowLoopbackHttp?: boolean | undefined
  readonly lookup?: ((hostname: string) => Promise<readonly ResolvedAddress[]>) | undefined
  readonly ca?: string | undefined
  readonly observe?: OutgoingObserver | undefined
  /**
   * Which addresses and ports a public name may lead to. They are arguments so that a test can use a server on
   * this machine as a public one. They must never come from configuration: an operator would one day turn on
   * the switch that lets foreign URLs reach internal addresses, and forget it.
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
 * Fetches a JSON document from a URL that a stranger chose, without giving the stranger access to our network
 * (SSRF): the name is resolved once, every address must be public, and only these addresses are used, so a
 * second DNS answer (rebinding) changes nothing. TLS checks the name in the URL. Redirects fail, and so does
 * every answer other than 200 with plain JSON.
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
