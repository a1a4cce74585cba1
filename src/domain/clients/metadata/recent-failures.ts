import { LruCache } from '../../../foundation/cache/lru-cache.ts'
import { FAILURE_LIFETIME_SECONDS } from './cache-lifetime.ts'

/** Far more than the rate limit lets this process fetch in a minute. */
const MAX_FAILURES = 10_000

/**
 * The URLs that failed within the last minute, each with what was wrong, so that an attacker's requests
 * do not each make this server send one. In memory, because errors must not be cached in place of a
 * document (draft-ietf-oauth-client-id-metadata-document §5.2).
 */
export class RecentFailures {
  readonly #failures = new LruCache<{ readonly description: string; readonly until: number }>(
    MAX_FAILURES,
  )
  readonly #now: () => number

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** What was wrong, if the URL failed less than a minute ago. */
  find(url: string): string | undefined {
    const failure = this.#failures.get(url)
    if (failure === undefined || failure.until <= this.#now()) return undefined
    return failure.description
  }

  add(url: string, description: string): void {
    const until = this.#now() + FAILURE_LIFETIME_SECONDS * 1000
    this.#failures.set(url, { description, until }, 1)
  }
}
