import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Named, StandIn } from './stand-in.ts'

const MAX_NAMES = 50_000
const MAX_AGE_MS = 10_000

/**
 * Who was found under which name during one import. A file speaks of the same people again and again,
 * and looking them up for every batch is a good part of what it costs. What was not found is asked for
 * anew each time, and what was found is forgotten after some seconds, so that an import of an hour sees
 * what others change meanwhile.
 */
export class KnownNames {
  #lists = new Map<StandIn, Map<string, Named>>()
  #since = Date.now()

  async find(
    tx: SchoolTx,
    standIn: StandIn,
    texts: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Named>> {
    if (!standIn.lasting) return await standIn.find(tx, [...texts])
    // Whoever is given a list keeps it: what is forgotten meanwhile is forgotten for others.
    const names = this.#namesOf(standIn)
    const unknown = [...texts].filter((text) => !names.has(text))
    if (unknown.length > 0) {
      for (const [text, named] of await standIn.find(tx, unknown)) names.set(text, named)
    }
    return names
  }

  #namesOf(standIn: StandIn): Map<string, Named> {
    if (Date.now() - this.#since > MAX_AGE_MS) {
      this.#lists = new Map()
      this.#since = Date.now()
    }
    const known = this.#lists.get(standIn)
    if (known !== undefined && known.size < MAX_NAMES) return known
    const names = new Map<string, Named>()
    this.#lists.set(standIn, names)
    return names
  }
}
