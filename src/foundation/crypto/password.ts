import { availableParallelism } from 'node:os'
import { Limiter } from '../concurrency/limiter.ts'
import { HashingThreads } from './password-threads.ts'

/** OWASP's argon2id parameters; about ten milliseconds of a core. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** A longer password would only cost CPU. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * Each hash takes 19 MiB and a core, at low priority. One core stays free for requests and PostgreSQL. More than
 * two at once come with more processes (`WORKERS`), two per process.
 */
const MAX_RUNNING = Math.min(2, Math.max(1, availableParallelism() - 1))
/** Of one school. */
const MAX_WAITING = 64

const threads = new HashingThreads()
const limiter = new Limiter({ running: MAX_RUNNING, waiting: MAX_WAITING })

/**
 * One form for all spellings of the same characters: keyboards and systems compose them differently.
 *
 * @see NIST SP 800-63B-4 §3.1.1.2, RFC 8265 §4.2
 */
export function normalPassword(password: string): string {
  return password.normalize('NFKC')
}

export function isHashablePassword(password: string): boolean {
  return password.length > 0 && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES
}

/** `share` as in {@link Limiter}: usually the school where a person signs in. */
export function hashPassword(password: string, share = ''): Promise<string> {
  return limiter.run(() => threads.hash(normalPassword(password), PARAMETERS), share)
}

/**
 * A hash of random bytes. Sign-ins to unknown accounts are checked against it, so that their refusal takes as
 * long as that of a wrong password.
 */
const HASH_OF_NO_ACCOUNT =
  '$argon2id$v=19$m=19456,t=2,p=1$c2Nob29sZ2F0ZS1ub2JvZHk$3nKq0bT0PZr9bq4mP8cV2Jw6l1sQx0aYd5fG7hN8uEk'

/**
 * True only if there is a hash and the password matches it. Without a hash it takes the same time. A password that
 * is not in its normal form is tried as it was typed too: before this form existed, it was hashed like that.
 */
export async function verifyPassword(
  stored: string | undefined | null,
  password: string,
  share = '',
): Promise<boolean> {
  if (!isHashablePassword(password)) return false
  const hash = stored ?? HASH_OF_NO_ACCOUNT
  const normal = normalPassword(password)
  const fits = await limiter.run(
    async () =>
      (isHashablePassword(normal) && (await threads.verify(hash, normal))) ||
      (normal !== password && (await threads.verify(hash, password))),
    share,
  )
  return fits && stored !== undefined && stored !== null
}
