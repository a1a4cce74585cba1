import { judgeTarget } from '../../foundation/net/fetch-target.ts'
import { parseUrl } from '../../foundation/net/parse-url.ts'

/** The URL of a client metadata document in its canonical form, which is the id of the client. */
export interface ClientIdUrl {
  readonly href: string
  /** The host's name in ASCII, without a port: what lists of permitted hosts hold. */
  readonly host: string
}

export type ClientIdUrlVerdict =
  | { readonly ok: true; readonly url: ClientIdUrl }
  | { readonly ok: false; readonly description: string }

export const MAX_CLIENT_ID_URL_LENGTH = 1024

/**
 * Reads a `client_id` as the URL of a client metadata document; undefined if it is not a URL, but
 * the identifier of a registered client. A URL must be in its canonical form: client ids are
 * compared as strings, so two forms of one URL would be two clients.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §3
 */
export function parseClientIdUrl(
  clientId: string,
  rules: { readonly allowLoopbackHttp?: boolean | undefined } = {},
): ClientIdUrlVerdict | undefined {
  if (!/^https?:/i.test(clientId)) return undefined
  if (clientId.length > MAX_CLIENT_ID_URL_LENGTH) {
    return refuse(`A client_id URL may have ${MAX_CLIENT_ID_URL_LENGTH} characters at most.`)
  }
  const url = parseUrl(clientId)
  if (url === undefined) return refuse('The client_id looks like a URL but is not a valid one.')
  const target = judgeTarget(url, rules)
  if (!target.ok) return refuse(`The client_id cannot be fetched. ${target.description}`)
  if (clientId.includes('?')) {
    // If a permitted host has an endpoint that echoes its query, an attacker could write a document
    // there.
    return refuse('A client_id URL must not have a query; put everything into its path.')
  }
  if (rawPath(clientId).split('/').some(isDotSegment)) {
    return refuse('The path of a client_id URL must not have "." or ".." segments.')
  }
  if (/^\/*$/.test(url.pathname)) {
    return refuse('A client_id URL needs a path, such as /oauth/client.json.')
  }
  if (url.href !== clientId) return refuse(`Spell this client_id as ${url.href}`)
  if (!url.pathname.split('/').every(isPlainSegment)) {
    return refuse(
      'The path of a client_id URL must not hide slashes or control characters in % codes.',
    )
  }
  return { ok: true, url: { href: clientId, host: url.hostname } }
}

function rawPath(clientId: string): string {
  return clientId.replace(/^https?:[/\\]*[^/\\]*/i, '').replaceAll('\\', '/')
}

function isDotSegment(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment)
}

/** Servers differ in whether `%2f` separates segments, so such a path might name two documents. */
function isPlainSegment(segment: string): boolean {
  try {
    return !/[\p{Cc}/\\]/u.test(decodeURIComponent(segment))
  } catch {
    return false
  }
}

function refuse(description: string): ClientIdUrlVerdict {
  return { ok: false, description }
}
