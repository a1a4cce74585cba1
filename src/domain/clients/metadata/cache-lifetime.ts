/** Short enough that a vendor's mistake is soon mended, long enough to spare both servers. */
export const SHORTEST_DOCUMENT_LIFETIME_SECONDS = 5 * 60
export const LONGEST_DOCUMENT_LIFETIME_SECONDS = 24 * 60 * 60

/**
 * For how long a URL that failed is not tried again. What is kept is the failure's words, never its
 * body: without the pause, anyone could make this server send a request for each one they send.
 */
export const FAILURE_LIFETIME_SECONDS = 60

/**
 * How long a good document may be used: what its headers said, within bounds of our own, and the
 * shortest time if they said nothing.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5.2
 */
export function cacheLifetimeSeconds(maxAgeSeconds: number | undefined): number {
  return Math.min(
    Math.max(maxAgeSeconds ?? 0, SHORTEST_DOCUMENT_LIFETIME_SECONDS),
    LONGEST_DOCUMENT_LIFETIME_SECONDS,
  )
}
