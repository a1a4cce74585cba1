/** Longer than any pause in the work of a team, and within the year that RFC 9116 §2.5.5 recommends. */
const MONTHS = 7

/**
 * Where to report a vulnerability. The contact is configured at each start, so a running server vouches for it: `Expires` is the
 * first day of a month, some months ahead, and moves on by itself.
 *
 * @see RFC 9116 §2.5
 */
export function securityText(origin: string, contact: string, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + MONTHS, 1))
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    '',
  ].join('\n')
}
