import { isIP } from 'node:net'
import { isLoopbackHost } from './loopback.ts'

export interface FetchTarget {
  readonly url: URL
  /** What to resolve and to dial: the host without the brackets of an IPv6 literal. */
  readonly hostname: string
  readonly port: number
  /** The demo world's exception: this machine itself, where http is good enough. */
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
 * A foreign URL may make this server speak to the web's own port and to no other: else a stranger
 * could use it to knock on mail servers, databases and admin consoles that trust its address.
 */
export const PUBLIC_PORTS: readonly number[] = [443]

/**
 * Decides by its spelling alone whether a URL may be fetched; what its name resolves to is judged
 * later, when it is dialled.
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
  // A single label is only ever found by a resolver's search list, which is somebody's intranet; a
  // final dot is a second spelling of the same host, which lists of permitted hosts would not know.
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
