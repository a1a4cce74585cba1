interface Known {
  /** None, if the origin has no school or it was not read yet. */
  readonly school: { readonly id: string } | undefined
}

/**
 * What is known of each origin, found by the origin and by its school: one statement can change ten
 * thousand schools, and each notice of it costs only what it concerns.
 */
export class KnownOrigins<Entry extends Known> {
  readonly #max: number
  readonly #entries = new Map<string, Entry>()
  /** Every origin, by the id of its school; under undefined are those of which no school is known. */
  readonly #originsOf = new Map<string | undefined, Set<string>>()

  constructor(max: number) {
    this.#max = max
  }

  get(origin: string): Entry | undefined {
    return this.#entries.get(origin)
  }

  /** The entry that was set longest ago makes room. */
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

  /** Forgets a changed school, and each origin without one: it may be new there, or have moved there. */
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
    // The empty set under undefined stays: a key that comes and goes without end makes a Map slow, which
    // looks through all its deleted places until it grows.
    if (origins?.size === 0 && id !== undefined) this.#originsOf.delete(id)
  }
}
