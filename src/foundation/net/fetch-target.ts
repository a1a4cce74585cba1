import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { isLoopbackHost } from './parse-url.ts'

export interface FetchTarget {
  readonly url: URL
  /** The host to resolve and connect to, without the brackets of an IPv6 literal. */
  readonly hostname: string
  readonly port: number
  /** Exception for the demo world: this machine itself, where http is permitted. */
  readonly loopback: boolean
}

export type TargetVerdict =
  | { readonly ok: true; readonly target: FetchTarget }
  | { readonly ok: false; readonly description: string }

export interface TargetRules {
  readonly allowLoopbackHttp?: boolean | undefined
  readonly allowedPorts?: readonly number[] | undefined
}

/**
 * A foreign URL may use only the standard port of the web. Otherwise a stranger could make this
 * server connect to mail servers, databases and admin consoles that trust its address.
 */
export const PUBLIC_PORTS: readonly number[] = [443]

/**
 * Decides from the text of a URL whether it may be fetched. The addresses of its host are checked
 * later, before the connection.
 */
export function judgeTarget(url: URL, rules: TargetRules = {}): TargetVerdict {
  if (url.username !== '' || url.password !== '') {
    return refuse('The URL must not carry a user name or password.')
  }
  if (url.hash !== '' || url.href.endsWith('#')) return refuse('The URL must not have a fragment.')
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (rules.allowLoopbackHttp === true && isLoopbackHost(url.hostname)) {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse(httpsNeeded)
    return { ok: true, target: { url, hostname, port, loopback: true } }
  }
  if (url.protocol !== 'https:') return refuse(httpsNeeded)
  if (isIP(hostname) !== 0) return refuse('The URL must name its host, not give an IP address.')
  // A name without a dot is resolved through a search list, so it is a host in a private network. A
  // final dot is a second spelling of the same host that lists of permitted hosts do not contain.
  if (!hostname.includes('.') || hostname.endsWith('.')) {
    return refuse(
      'The host must be a full domain name such as app.example.com, without a last dot.',
    )
  }
  const allowedPorts = rules.allowedPorts ?? PUBLIC_PORTS
  if (!allowedPorts.includes(port)) {
    return refuse(`The URL must use port ${allowedPorts.join(' or ')}; it names port ${port}.`)
  }
  return { ok: true, target: { url, hostname, port, loopback: false } }
}

const httpsNeeded = 'The URL must begin with https://.'

function refuse(description: string): TargetVerdict {
  return { ok: false, description }
}

export type FetchFailureReason =
  | 'url_refused'
  | 'name_not_resolved'
  | 'address_refused'
  | 'timed_out'
  | 'tls_failed'
  | 'connection_failed'
  | 'redirected'
  | 'wrong_status'
  | 'encoded_body'
  | 'wrong_content_type'
  | 'too_large'
  | 'not_json'

/** `reason` is for logs and metrics; `description` may be shown to the client that sent the URL. */
export interface FetchFailure {
  readonly ok: false
  readonly reason: FetchFailureReason
  readonly description: string
}

export function fetchFailure(reason: FetchFailureReason, description: string): FetchFailure {
  return { ok: false, reason, description }
}

/**
 * One sentence for a name that does not exist and for one that leads to an internal address: a
 * difference would let strangers find out the names in a private network.
 */
const notPublic =
  'The host was not found on the public internet. Check the name, and that all of its addresses are public.'

export const nameNotResolved = fetchFailure('name_not_resolved', notPublic)
export const addressRefused = fetchFailure('address_refused', notPublic)

/**
 * Describes an error of the network or of TLS. The error's own text may contain internal addresses.
 */
export function connectionFailure(error: unknown): FetchFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO|HOSTNAME_MISMATCH/.test(code)) {
    return fetchFailure(
      'tls_failed',
      'No trusted TLS connection could be made. The certificate must be valid for this host and come from a public authority.',
    )
  }
  return fetchFailure(
    'connection_failed',
    'The server could not be reached, or closed the connection before the document was complete.',
  )
}

/**
 * Whether an operator's list permits a host. An entry is a host (`app.example.com`) or all hosts
 * below one (`*.example.com`, which does not include `example.com` itself). An entry that is
 * neither permits nothing.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §8.9
 */
export function isPermittedHost(host: string, allowlist: readonly string[]): boolean {
  const name = normalizeHost(host)
  if (name === undefined) return false
  return allowlist.some((entry) => {
    const pattern = parseHostPattern(entry)
    if (pattern === undefined) return false
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
  })
}

/**
 * The canonical form of a list entry: lower case, punycode, no last dot; undefined if it is not
 * valid.
 */
export function parseHostPattern(entry: string): string | undefined {
  const text = entry.trim()
  if (!text.startsWith('*.')) return normalizeHost(text)
  const parent = normalizeHost(text.slice(2))
  // `*.com` would permit half the internet by mistake, and `*.0.0.1` would match IP addresses.
  if (parent === undefined || !parent.includes('.') || isIP(parent) !== 0) return undefined
  return `*.${parent}`
}

function normalizeHost(host: string): string | undefined {
  if (host === '[::1]') return host
  // The conversion below stops at the first of these characters and would return the text before
  // it.
  if (/[\s/\\?#@:%*[\]]/.test(host)) return undefined
  const ascii = domainToASCII(host).replace(/\.$/, '')
  // It also lets a semicolon and quotes through, which no host has.
  if (!/^[a-z0-9._-]+$/.test(ascii)) return undefined
  return ascii.split('.').includes('') ? undefined : ascii
}
