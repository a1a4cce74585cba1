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
 * The same sentence for a name that does not exist and for one that leads to an internal address: a
 * difference would let strangers find out the names in a private network.
 */
const notPublic =
  'The host was not found on the public internet. Check the name, and that all of its addresses are public.'

export const nameNotResolved = fetchFailure('name_not_resolved', notPublic)
export const addressRefused = fetchFailure('address_refused', notPublic)

/** Describes an error of the network or of TLS. The error's own text may contain internal addresses. */
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
