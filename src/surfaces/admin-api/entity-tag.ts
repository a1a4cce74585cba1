import { sha256 } from '../../foundation/crypto/digest.ts'
import { Problem } from './problem.ts'

/**
 * The tag of an answer. Its first part is the version of the object, which changes compare. Its
 * second part is a digest of the answer, so that a cached copy with an outdated count is not
 * confirmed.
 *
 * @see RFC 9110 §8.8.3
 */
export function entityTag(output: Record<string, unknown>, body: string): string {
  const digest = sha256(body).toString('base64url').slice(0, 16)
  return typeof output.version === 'number' ? `"${output.version}-${digest}"` : `"${digest}"`
}

/**
 * The version that `If-Match` requires. A tag that this server did not issue has no version, so it
 * cannot match; a weak tag must not match.
 *
 * @see RFC 9110 §13.1.1
 */
export function versionFrom(ifMatch: string | undefined): number | undefined {
  const wanted = ifMatch?.trim()
  if (wanted === undefined || wanted === '*') return undefined
  const version = /^"([1-9]\d{0,8})(?:-[A-Za-z0-9_-]*)?"$/.exec(wanted)?.[1]
  if (version !== undefined) return Number(version)
  throw new Problem({
    status: 412,
    code: 'stale_version',
    detail: 'If-Match is not an ETag of this API. Send one ETag exactly as it was in an answer.',
  })
}
