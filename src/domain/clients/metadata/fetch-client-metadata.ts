import { type FetchOptions, fetchPublicJson } from '../../../foundation/net/fetch-document.ts'
import type { FetchFailureReason } from '../../../foundation/net/fetch-failure.ts'
import { cacheLifetimeSeconds } from './cache-lifetime.ts'
import type { ClientIdUrl } from './client-id-url.ts'
import { type ClientMetadata, type DocumentRefusal, judgeDocument } from './client-metadata.ts'

/** `lifetimeSeconds` is how long the document is used before the URL is fetched again. */
export type FetchedMetadata =
  | { readonly ok: true; readonly document: ClientMetadata; readonly lifetimeSeconds: number }
  | {
      readonly ok: false
      readonly reason: FetchFailureReason | DocumentRefusal
      readonly description: string
    }

/**
 * Fetches and judges the document of a client id. The caller must check first that its host is
 * permitted: an attacker must not be able to make this server send requests.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5
 */
export async function fetchClientMetadata(
  url: ClientIdUrl,
  options: FetchOptions = {},
): Promise<FetchedMetadata> {
  const fetched = await fetchPublicJson(url.href, options)
  if (!fetched.ok) return fetched
  const verdict = judgeDocument(url, fetched.json)
  if (!verdict.ok) return verdict
  return { ...verdict, lifetimeSeconds: cacheLifetimeSeconds(fetched.maxAgeSeconds) }
}
