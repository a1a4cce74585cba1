import { LruCache } from '../foundation/cache/lru-cache.ts'

/** Of all schools; one school has a quarter of them at most. */
const REMEMBERED = 20_000

/**
 * SHA-256 digests of access tokens that this process gave out or found good lately, because tokens are kept nowhere. They are
 * not proven by this, only worth a look when strangers have used up what their address has.
 */
export class GoodTokens {
  readonly #digests = new LruCache<true>(REMEMBERED, { busy: true })

  has(schoolId: string, digest: Buffer): boolean {
    return this.#digests.get(keyOf(schoolId, digest)) === true
  }

  add(schoolId: string, digest: Buffer): void {
    this.#digests.set(keyOf(schoolId, digest), true, 1, schoolId)
  }

  delete(schoolId: string, digest: Buffer): void {
    this.#digests.delete(keyOf(schoolId, digest))
  }
}

function keyOf(schoolId: string, digest: Buffer): string {
  return schoolId + digest.toString('base64')
}
