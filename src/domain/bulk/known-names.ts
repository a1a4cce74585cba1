import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Named, ReferenceColumn } from './reference-column.ts'

const MAX_NAMES = 50_000
const MAX_AGE_MS = 10_000

/**
 * Caches the people that reference columns found during one import: files name the same people many
 * times, and looking them up for every batch is a large part of the cost. Only hits are cached, and
 * they expire after some seconds, so that a long import sees changes made meanwhile.
 */
export class KnownNames {
  #lists = new Map<ReferenceColumn, Map<string, Named>>()
  #since = Date.now()

  async find(
    tx: SchoolTx,
    reference: ReferenceColumn,
    texts: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Named>> {
    if (!reference.lasting) return await reference.find(tx, [...texts])
    // A map that was returned stays valid when the cache expires: it is replaced, not cleared.
    const names = this.#namesOf(reference)
    const unknown = [...texts].filter((text) => !names.has(text))
    if (unknown.length > 0) {
      for (const [text, named] of await reference.find(tx, unknown)) names.set(text, named)
    }
    return names
  }

  #namesOf(reference: ReferenceColumn): Map<string, Named> {
    if (Date.now() - this.#since > MAX_AGE_MS) {
      this.#lists = new Map()
      this.#since = Date.now()
    }
    const known = this.#lists.get(reference)
    if (known !== undefined && known.size < MAX_NAMES) return known
    const names = new Map<string, Named>()
    this.#lists.set(reference, names)
    return names
  }
}
