/**
 * How much a large store forgets at once when it is full. A map passes every deleted entry again on the way to its oldest
 * key, so one at a time costs 20 µs where there are 20,000.
 */
export const forgottenAtOnce = (most: number): number => Math.floor(most / 256)

interface Entry<V> {
  readonly value: V
  readonly weight: number
  readonly share: string | undefined
}

/** What one share holds; its keys in the order in which they were used. */
interface Share {
  weight: number
  readonly keys: Set<string>
}

/**
 * Keeps the most recently used entries up to a total weight. An entry heavier than a fixed part of it is not
 * kept: one large entry would push out all others. Entries may belong to shares, for example schools: a share
 * holds a quarter at most, and then makes room with entries of its own.
 */
export class LruCache<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #shares = new Map<string, Share>()
  readonly #maxWeight: number
  readonly #forgotten: (most: number) => number
  #weight = 0

  /** Where every request adds an entry, `busy` forgets many at once, so it keeps a little less than `maxWeight`. */
  constructor(maxWeight: number, { busy = false } = {}) {
    this.#maxWeight = maxWeight
    this.#forgotten = busy ? forgottenAtOnce : () => 0
  }

  get size(): number {
    return this.#entries.size
  }

  get weight(): number {
    return this.#weight
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const keys = entry.share === undefined ? undefined : this.#shares.get(entry.share)?.keys
    if (keys?.delete(key)) keys.add(key)
    return entry.value
  }

  set(key: string, value: V, weight: number, share?: string): void {
    this.delete(key)
    if (weight > this.#maxWeight / 8) return
    this.#entries.set(key, { value, weight, share })
    this.#weight += weight
    if (share !== undefined) this.#addToShare(share, key, weight)
    if (this.#weight <= this.#maxWeight) return
    const kept = this.#maxWeight - this.#forgotten(this.#maxWeight)
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= kept) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    const share = entry.share === undefined ? undefined : this.#shares.get(entry.share)
    if (share === undefined || entry.share === undefined) return
    share.weight -= entry.weight
    share.keys.delete(key)
    if (share.keys.size === 0) this.#shares.delete(entry.share)
  }

  #addToShare(name: string, key: string, weight: number): void {
    const share = this.#shares.get(name) ?? { weight: 0, keys: new Set() }
    this.#shares.set(name, share)
    share.weight += weight
    share.keys.add(key)
    const most = this.#maxWeight / 4
    if (share.weight <= most) return
    const kept = most - this.#forgotten(most)
    for (const oldest of share.keys) {
      if (share.weight <= kept) return
      this.delete(oldest)
    }
  }
}

/** Runs `read` at the first call and returns the same result at every later call. */
export function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined
  return () => {
    result ??= { value: read() }
    return result.value
  }
}
