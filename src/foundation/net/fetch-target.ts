import { isIP } from 'node:net'
import { isLoopbackHost } from './loopback.ts'

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
 * A foreign URL may use only the standard port of the web. Otherwise a stranger could make this server connect
 * to mail servers, databases and admin consoles that trust its address.
 */
export const PUBLIC_PORTS: readonly number[] = [443]

/**
 * Decides from the text of a URL whether it may be fetched. The addresses of its host are checked later, before
 * the connection.
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
