interface Known {
  /** Undefined if the origin has no school, or was not read yet. */
  readonly school: { readonly id: string } | undefined
}

/**
 * A bounded cache by origin that also finds the origins of a school. One statement can change ten
 * thousand schools, and each of its notices must not search the whole cache.
 */
export class KnownOrigins<Entry extends Known> {
  readonly #max: number
  readonly #entries = new Map<string, Entry>()
  /** The origins by the id of their school; the key undefined holds the origins without a school. */
  readonly #originsOf = new Map<string | undefined, Set<string>>()

  constructor(max: number) {
    this.#max = max
  }

  get(origin: string): Entry | undefined {
    return this.#entries.get(origin)
  }

  /** Removes the oldest entry if the cache is full. */
  set(origin: string, entry: Entry): void {
    this.#delete(origin)
    this.#entries.set(origin, entry)
    const id = entry.school?.id
    const origins = this.#originsOf.get(id)
    if (origins === undefined) this.#originsOf.set(id, new Set([origin]))
    else origins.add(origin)
    if (this.#entries.size > this.#max) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#delete(oldest.value)
    }
  }

  /** Forgets a changed school, and all origins without a school: the school may have one of them now. */
  forget(schoolId: string): void {
    for (const id of [schoolId, undefined]) {
      for (const origin of this.#originsOf.get(id) ?? []) this.#delete(origin)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#originsOf.clear()
  }

  #delete(origin: string): void {
    const entry = this.#entries.get(origin)
    if (entry === undefined) return
    this.#entries.delete(origin)
    const id = entry.school?.id
    const origins = this.#originsOf.get(id)
    origins?.delete(origin)
    // The empty set of the key undefined stays: a Map becomes slow if one key is deleted and set again
    // all the time, because it searches all deleted entries until it is resized.
    if (origins?.size === 0 && id !== undefined) this.#originsOf.delete(id)
  }
}
