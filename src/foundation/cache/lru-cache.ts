/**
 * How much a large store forgets at once when it is full. A map passes every deleted entry again on
 * the way to its oldest key, so one at a time costs 20 µs where there are 20,000.
 */
export const forgottenAtOnce = (most: number): number => Math.floor(most / 256)

interface Entry<V> {
  readonly value: V
  readonly weight: number
  readonly tenant: string | undefined
}

/** What one tenant holds; its keys in the order in which they were used. */
interface Tenant {
  weight: number
  readonly keys: Set<string>
}

/**
 * Keeps the most recently used entries up to a total weight. An entry heavier than a fixed part of
 * it is not kept: one large entry would push out all others. Entries may belong to tenants, for
 * example schools: a tenant holds a quarter at most, and then makes room with entries of its own.
 */
export class LruCache<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #tenants = new Map<string, Tenant>()
  readonly #maxWeight: number
  readonly #forgotten: (most: number) => number
  #weight = 0

  /**
   * Where every request adds an entry, `busy` forgets many at once, so it keeps a little less than
   * `maxWeight`.
   */
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
    const keys = entry.tenant === undefined ? undefined : this.#tenants.get(entry.tenant)?.keys
    if (keys?.delete(key)) keys.add(key)
    return entry.value
  }

  set(key: string, value: V, weight: number, tenant?: string): void {
    this.delete(key)
    if (weight > this.#maxWeight / 8) return
    this.#entries.set(key, { value, weight, tenant })
    this.#weight += weight
    if (tenant !== undefined) this.#addToTenant(tenant, key, weight)
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
    const tenant = entry.tenant === undefined ? undefined : this.#tenants.get(entry.tenant)
    if (tenant === undefined || entry.tenant === undefined) return
    tenant.weight -= entry.weight
    tenant.keys.delete(key)
    if (tenant.keys.size === 0) this.#tenants.delete(entry.tenant)
  }

  #addToTenant(name: string, key: string, weight: number): void {
    const tenant = this.#tenants.get(name) ?? { weight: 0, keys: new Set() }
    this.#tenants.set(name, tenant)
    tenant.weight += weight
    tenant.keys.add(key)
    const most = this.#maxWeight / 4
    if (tenant.weight <= most) return
    const kept = most - this.#forgotten(most)
    for (const oldest of tenant.keys) {
      if (tenant.weight <= kept) return
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
