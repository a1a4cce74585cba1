import { sha256 } from '../../foundation/crypto/digest.ts'
import { Problem } from './problem.ts'

/**
 * The tag of an answer. Its first part is the object's version, which is what changes compare; its
 * second part a digest of the answer, so that a cached copy with an outdated count is not confirmed.
 *
 * @see RFC 9110 §8.8.3
 */
export function entityTag(output: Record<string, unknown>, body: string): string {
  const digest = sha256(body).toString('base64url').slice(0, 16)
  return typeof output.version === 'number' ? `"${output.version}-${digest}"` : `"${digest}"`
}

/**
 * The version that `If-Match` demands. Tags that we never gave out name no version of ours, so they
 * cannot match; weak ones must not.
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
    detail: 'If-Match holds no tag of ours. Send one ETag, exactly as an answer gave it.',
  })
}
