import { type FetchOptions, fetchPublicJson } from '../../../foundation/net/fetch-document.ts'
import type { FetchFailureReason } from '../../../foundation/net/fetch-failure.ts'
import { cacheLifetimeSeconds, FAILURE_LIFETIME_SECONDS } from './cache-lifetime.ts'
import type { ClientIdUrl } from './client-id-url.ts'
import { type ClientMetadata, type DocumentRefusal, judgeDocument } from './client-metadata.ts'

/** `lifetimeSeconds` is how long the outcome, good or bad, stands before the URL is asked again. */
export type FetchedMetadata =
  | { readonly ok: true; readonly document: ClientMetadata; readonly lifetimeSeconds: number }
  | {
      readonly ok: false
      readonly reason: FetchFailureReason | DocumentRefusal
      readonly description: string
      readonly lifetimeSeconds: number
    }

/**
 * Fetches and judges the document behind a client id. Whether its host is permitted has to be
 * settled before: asking is already something a stranger must not be able to make us do.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5
 */
export async function fetchClientMetadata(
  url: ClientIdUrl,
  options: FetchOptions = {},
): Promise<FetchedMetadata> {
  const fetched = await fetchPublicJson(url.href, options)
  if (!fetched.ok) return { ...fetched, lifetimeSeconds: FAILURE_LIFETIME_SECONDS }
  const verdict = judgeDocument(url, fetched.json)
  if (!verdict.ok) return { ...verdict, lifetimeSeconds: FAILURE_LIFETIME_SECONDS }
  return { ...verdict, lifetimeSeconds: cacheLifetimeSeconds(fetched.maxAgeSeconds) }
}
