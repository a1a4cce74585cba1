import { hash } from 'node:crypto'
import { LruCache } from '../foundation/cache/lru-cache.ts'

/** Of all schools; one school has a quarter of them at most. */
const REMEMBERED = 20_000

/**
 * Access tokens that this process gave out or found good lately. They are not proven by this, only worth a look when
 * strangers have used up what their address has.
 */
export class GoodTokens {
  readonly #digests = new LruCache<true>(REMEMBERED, { busy: true })

  has(schoolId: string, token: string): boolean {
    return this.#digests.get(keyOf(schoolId, token)) === true
  }

  add(schoolId: string, token: string): void {
    const key = keyOf(schoolId, token)
    if (this.#digests.get(key) === undefined) this.#digests.set(key, true, 1, schoolId)
  }

  delete(schoolId: string, token: string): void {
    this.#digests.delete(keyOf(schoolId, token))
  }
}

/** A digest, because tokens are kept nowhere. */
function keyOf(schoolId: string, token: string): string {
  return schoolId + hash('sha256', token, 'base64')
}
