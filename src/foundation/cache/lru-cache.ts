/**
 * Keeps the most recently used entries up to a total weight. An entry heavier than a fixed share of it is not
 * kept: one large entry would push out all others.
 */
export class LruCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly weight: number }>()
  readonly #maxWeight: number
  #weight = 0

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, weight: number): void {
    this.delete(key)
    if (weight > this.#maxWeight / 8) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }
}
