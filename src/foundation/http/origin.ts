import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { HOST_LABEL } from '../net/parse-url.ts'
import type { TrustProxy } from './client-address.ts'

/** The parts of a request that decide its origin. */
export type OriginSource = {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly remoteAddress: string | undefined
  readonly encrypted: boolean
}

/** `problem` is a sentence that may be shown to the caller with a 400. */
export type OriginResult =
  | { readonly origin: string; readonly problem?: undefined }
  | { readonly origin?: undefined; readonly problem: string }

/** The part of a Fastify request that the origin is read from. */
export type RequestHead = {
  readonly raw: Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'> & {
    readonly socket: { readonly remoteAddress?: string | undefined }
  }
}

type Authority = { readonly host: string; readonly port: number | undefined }

const REMEMBERED_HOSTS = 1024
const NAME = new RegExp(`^(${HOST_LABEL}(?:\\.${HOST_LABEL})*)\\.?(?::([1-9]\\d{0,4})?)?$`)
const IPV6 = /^\[([0-9a-f:.]+)\](?::([1-9]\d{0,4})?)?$/

/**
 * The origin of a request, as `scheme://host[:port]` in the spelling that stored origins use: lower
 * case, no trailing dot, no default port.
 *
 * A request that two programs may read differently (two Host headers, a list of forwarded hosts,
 * user information, a request line with another host) is refused: a cache or proxy in front of us
 * may choose the other reading. Fastify's `request.host` and `request.protocol` choose one, so do
 * not use them.
 *
 * @see RFC 9112 §3.2
 */
export function readOrigin(source: OriginSource, trust: TrustProxy): OriginResult {
  const host = findOnlyHost(source.rawHeaders)
  if (host === undefined) return { problem: 'Send exactly one Host header.' }
  return fromHost(source, host, trust)
}

/** `readOrigin` with a cache: one map lookup for a host that was seen before. */
export function createOriginReader(trust: TrustProxy): (request: RequestHead) => OriginResult {
  const plain = new Map<string, OriginResult>()
  const encrypted = new Map<string, OriginResult>()
  return ({ raw }) => {
    const { url = '/', headers, rawHeaders, socket } = raw
    const host = findOnlyHost(rawHeaders)
    const isEncrypted = 'encrypted' in socket && socket.encrypted === true
    const known = isEncrypted ? encrypted : plain
    const isPlain = host !== undefined && !mentionsForwarding(headers) && isOriginForm(url)
    const remembered = isPlain ? known.get(host) : undefined
    if (remembered !== undefined) return remembered
    const { remoteAddress } = socket
    const source = { url, headers, rawHeaders, remoteAddress, encrypted: isEncrypted }
    const result = readOrigin(source, trust)
    if (known.size >= REMEMBERED_HOSTS) known.clear()
    if (isPlain && result.problem === undefined) known.set(host, result)
    return result
  }
}

function fromHost(source: OriginSource, hostHeader: string, trust: TrustProxy): OriginResult {
  const host = parseAuthority(hostHeader)
  if (host === undefined) return { problem: 'The Host header is not a host name with a port.' }
  if (!isOriginForm(source.url) && !namesAuthority(source.url, host)) {
    return { problem: 'The request line names another host than the Host header.' }
  }
  const scheme = source.encrypted ? 'https' : 'http'
  if (!isForwarded(source, trust)) return { origin: formatOrigin(scheme, host) }
  return fromForwarded(source.headers, scheme, host)
}

function fromForwarded(
  headers: IncomingHttpHeaders,
  socketScheme: string,
  direct: Authority,
): OriginResult {
  const forwardedHost = readSingle(headers['x-forwarded-host'])
  const forwardedProto = readSingle(headers['x-forwarded-proto'])
  const forwardedPort = readSingle(headers['x-forwarded-port'])

  const host = forwardedHost === undefined ? direct : parseAuthority(forwardedHost)
  if (host === undefined) return { problem: 'X-Forwarded-Host does not name one single host.' }

  const scheme = forwardedProto?.toLowerCase() ?? socketScheme
  if (scheme !== 'http' && scheme !== 'https') {
    return { problem: 'X-Forwarded-Proto is neither http nor https.' }
  }
  // A port in the forwarded host comes from the browser and wins. X-Forwarded-Port is for proxies
  // that forward the name without a port (nginx's $host).
  if (forwardedPort === undefined || host.port !== undefined) {
    return { origin: formatOrigin(scheme, host) }
  }
  const port = parsePort(forwardedPort)
  if (port === undefined) return { problem: 'X-Forwarded-Port is not a port number.' }
  return { origin: formatOrigin(scheme, { host: host.host, port }) }
}

function isForwarded({ headers, remoteAddress }: OriginSource, trust: TrustProxy): boolean {
  return mentionsForwarding(headers) && trust.trusts(remoteAddress)
}

function mentionsForwarding(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-forwarded-host'] !== undefined ||
    headers['x-forwarded-proto'] !== undefined ||
    headers['x-forwarded-port'] !== undefined
  )
}

/** Node keeps the first of several Host headers and drops the rest from `headers`. */
function findOnlyHost(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (found !== undefined) return undefined
    found = rawHeaders[i + 1]
  }
  return found
}

/**
 * Proxies append to these lists and a client may send the first entries, so neither the first nor
 * the last entry is certain to come from our proxy. Equal entries are accepted; different entries
 * give an empty text, which the caller refuses.
 */
function readSingle(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : value.join(',')
  if (!text.includes(',')) return text.trim()
  const entries = new Set(text.split(',').map((entry) => entry.trim().toLowerCase()))
  const [only = ''] = entries
  return entries.size === 1 ? only : ''
}

function parseAuthority(text: string): Authority | undefined {
  if (text.length > 260) return undefined
  const lower = text.toLowerCase()
  const name = NAME.exec(lower)
  if (name?.[1] !== undefined) {
    const port = name[2] === undefined ? undefined : parsePort(name[2])
    if (name[1].length > 253 || (name[2] !== undefined && port === undefined)) return undefined
    return { host: name[1], port }
  }
  const literal = IPV6.exec(lower)
  if (literal?.[1] === undefined || !isIPv6(literal[1])) return undefined
  const port = literal[2] === undefined ? undefined : parsePort(literal[2])
  if (literal[2] !== undefined && port === undefined) return undefined
  return { host: new URL(`http://[${literal[1]}]`).hostname, port }
}

function parsePort(text: string): number | undefined {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

function formatOrigin(scheme: string, { host, port }: Authority): string {
  const isDefault = port === undefined || port === (scheme === 'https' ? 443 : 80)
  return isDefault ? `${scheme}://${host}` : `${scheme}://${host}:${port}`
}

/** A path, or the asterisk of `OPTIONS *`: the forms without a host. */
function isOriginForm(url: string): boolean {
  return url.startsWith('/') || url === '*'
}

/**
 * Proxies send whole URLs. The router uses the path and ignores the host, so the host must be equal
 * to the Host header.
 *
 * @see RFC 9112 §3.2.2
 */
function namesAuthority(url: string, host: Authority): boolean {
  const absolute = /^(https?):\/\/([^/?#]*)/i.exec(url)
  const named = absolute?.[2] === undefined ? undefined : parseAuthority(absolute[2])
  if (named === undefined) return false
  const scheme = absolute?.[1]?.toLowerCase() ?? 'http'
  return formatOrigin(scheme, named) === formatOrigin(scheme, host)
}
