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
  /** Strangers can make up hosts without end: these have a small part, and push out each other only. */
  readonly #maxUnknown: number
  readonly #entries = new Map<string, Entry>()
  /** The origins by the id of their school; the key undefined holds the origins without a school. */
  readonly #originsOf = new Map<string | undefined, Set<string>>()
  /** The schools of forgotten origins. */
  readonly #formerIds = new Map<string, string>()

  constructor(max: number) {
    this.#max = max
    this.#maxUnknown = Math.ceil(max / 10)
  }

  get(origin: string): Entry | undefined {
    return this.#entries.get(origin)
  }

  /** The school that the origin has, or had when it was forgotten. */
  latestSchoolId(origin: string): string | undefined {
    return this.#entries.get(origin)?.school?.id ?? this.#formerIds.get(origin)
  }

  /** Removes the oldest entry if the cache is full, or the oldest without a school if there are too many. */
  set(origin: string, entry: Entry): void {
    this.#delete(origin)
    this.#entries.set(origin, entry)
    const id = entry.school?.id
    const origins = this.#originsOf.get(id)
    if (origins === undefined) this.#originsOf.set(id, new Set([origin]))
    else origins.add(origin)
    const unknown = this.#originsOf.get(undefined)
    if (unknown !== undefined && unknown.size > this.#maxUnknown) this.#deleteFirst(unknown)
    if (this.#entries.size > this.#max) this.#deleteFirst(this.#entries)
  }

  /** Forgets a changed school, and all origins without a school: the school may have one of them now. */
  forget(schoolId: string): void {
    for (const id of [schoolId, undefined]) {
      for (const origin of this.#originsOf.get(id) ?? []) this.#delete(origin)
    }
  }

  clear(): void {
    for (const origin of this.#entries.keys()) this.#delete(origin)
  }

  #deleteFirst(origins: { keys(): Iterator<string> }): void {
    const oldest = origins.keys().next()
    if (oldest.done !== true) this.#delete(oldest.value)
  }

  #delete(origin: string): void {
    const entry = this.#entries.get(origin)
    if (entry === undefined) return
    this.#entries.delete(origin)
    const id = entry.school?.id
    if (id !== undefined) this.#keepFormer(origin, id)
    const origins = this.#originsOf.get(id)
    origins?.delete(origin)
    // The empty set of the key undefined stays: a Map becomes slow if one key is deleted and set again
    // all the time, because it searches all deleted entries until it is resized.
    if (origins?.size === 0 && id !== undefined) this.#originsOf.delete(id)
  }

  #keepFormer(origin: string, schoolId: string): void {
    this.#formerIds.delete(origin)
    this.#formerIds.set(origin, schoolId)
    if (this.#formerIds.size <= this.#max) return
    const [oldest] = this.#formerIds.keys()
    if (oldest !== undefined) this.#formerIds.delete(oldest)
  }
}
