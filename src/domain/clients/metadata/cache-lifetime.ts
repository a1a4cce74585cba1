/** Short enough that a vendor can fix a mistake soon, long enough to save requests. */
export const SHORTEST_DOCUMENT_LIFETIME_SECONDS = 5 * 60
export const LONGEST_DOCUMENT_LIFETIME_SECONDS = 24 * 60 * 60

/**
 * How long a copy may be used after it was fetched, if its host fails: real documents have been away
 * for days. A host that removes a redirect URI publishes a new document, which replaces the copy.
 */
export const LAST_GOOD_COPY_DAYS = 7

/**
 * How long a URL that failed is not fetched again. Without this pause, each request of an attacker would
 * make this server send one.
 */
export const FAILURE_LIFETIME_SECONDS = 60

/**
 * How long a valid document may be used: as its headers say, within our limits, or the shortest time if
 * they say nothing.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5.2
 */
export function cacheLifetimeSeconds(maxAgeSeconds: number | undefined): number {
  return Math.min(
    Math.max(maxAgeSeconds ?? 0, SHORTEST_DOCUMENT_LIFETIME_SECONDS),
    LONGEST_DOCUMENT_LIFETIME_SECONDS,
  )
}
