import { HOST_LABEL } from '../../foundation/net/host-label.ts'
import { parseUrl } from '../../foundation/net/parse-url.ts'

export type OriginReading =
  | { readonly ok: true; readonly origin: string }
  /** A sentence for the person who typed it. */
  | { readonly ok: false; readonly problem: string }

const HOST = new RegExp(`^(?:${HOST_LABEL}(?:\\.${HOST_LABEL})*|\\[[0-9a-f:]+\\])$`)
const MAX_HOST = 253

/** Hosts that never leave the machine or, like `.test`, never exist on the internet (RFC 6761). */
const PRIVATE_HOST = /^(?:localhost|.+\.localhost|.+\.test|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Reads an origin as a person types it and returns the normal form that requests are compared with:
 * lower case, no default port, no trailing dot or slash. Plain http is only for this machine and for
 * tests, because everything that an authorization server sends must use TLS.
 *
 * @see RFC 6454 §6.2, RFC 8414 §2, RFC 6749 §3.1
 */
export function parseOrigin(text: string): OriginReading {
  const typed = text.trim()
  const match = /^(https?):\/\/([^/?#@\\\s]+)\/?$/i.exec(typed)
  const [, scheme = '', authority = ''] = match ?? []
  const url = parseUrl(`${scheme}://${authority}`)
  if (url === undefined) {
    return refused('Write only scheme, host and port, such as https://school.example.')
  }
  const { hostname, port } = url
  const host = hostname.replace(/\.$/, '')
  if (host.length > MAX_HOST || !HOST.test(host)) {
    return refused('The host is not a valid host name.')
  }
  const secure = scheme.toLowerCase() === 'https'
  if (!secure && !PRIVATE_HOST.test(host)) {
    return refused(
      'Use https. Plain http is only for this machine (localhost, 127.0.0.1) and for names that end in .localhost or .test.',
    )
  }
  return {
    ok: true,
    origin: `${secure ? 'https' : 'http'}://${host}${port === '' ? '' : `:${port}`}`,
  }
}

const refused = (problem: string): OriginReading => ({ ok: false, problem })
