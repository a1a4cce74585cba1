import type { Db } from '../../foundation/db/database.ts'
import { viewOf } from '../../foundation/db/lanes.ts'
import { KnownOrigins } from './known-origins.ts'
import { findSchoolByOrigin, type School } from './school.ts'

/** How long a school is cached if a notice of a change may have been missed. */
const LIFETIME_MS = 30_000
/** How long if no notice was missed. Time alone changes a school too: a retired key is published for a day. */
const LONGEST_MS = 300_000
/** A request in this last part of the lifetime starts a new reading, so that no request waits for it. */
const AHEAD_MS = 10_000
/** More schools than this are read again in turn. Made-up hosts have a tenth of it. */
const MAX_ENTRIES = 20_000

interface Entry {
  readonly school: School | undefined
  /** When its statement was sent; minus infinity until the first answer arrives. */
  readonly readAt: number
  reading: Promise<School | undefined> | undefined
}

/**
 * Finds the school of an origin by one map lookup, however many schools there are. PostgreSQL sends a
 * notice of every change. While the notices arrive, a school is read again after five minutes;
 * otherwise after half a minute.
 */
export class SchoolDirectory {
  readonly #db: Db
  readonly #now: () => number
  readonly #known: KnownOrigins<Entry>
  #provenAt = Number.NEGATIVE_INFINITY

  /** A monotonic clock: if the time of day is set back, revoked keys would stay in the cache. */
  constructor(db: Db, now: () => number = () => performance.now(), maxEntries = MAX_ENTRIES) {
    this.#db = db
    this.#now = now
    this.#known = new KnownOrigins(maxEntries)
  }

  find(origin: string): School | undefined | Promise<School | undefined> {
    const entry = this.#known.get(origin)
    if (entry === undefined) return this.#readOnce(origin, this.#addUnread(origin))
    const { readAt } = entry
    const until = Math.min(Math.max(readAt, this.#provenAt) + LIFETIME_MS, readAt + LONGEST_MS)
    const left = until - this.#now()
    if (left <= 0) return this.#readOnce(origin, entry)
    if (left < AHEAD_MS && entry.school !== undefined) {
      // If this fails, the first request after the end of the lifetime gets the error.
      this.#readOnce(origin, entry).catch(() => undefined)
    }
    return entry.school
  }

  /** No notice was missed so far, so every entry is as good as one that was just read. */
  confirm(): void {
    this.#provenAt = this.#now()
  }

  /** Forgets one school and all origins without a school, or everything if no id is given. */
  forget(schoolId?: string): void {
    if (schoolId === undefined) this.#known.clear()
    else this.#known.forget(schoolId)
  }

  #addUnread(origin: string): Entry {
    const entry = { school: undefined, readAt: Number.NEGATIVE_INFINITY, reading: undefined }
    this.#known.set(origin, entry)
    return entry
  }

  #readOnce(origin: string, entry: Entry): Promise<School | undefined> {
    entry.reading ??= this.#read(origin, entry).finally(() => {
      entry.reading = undefined
    })
    return entry.reading
  }

  /**
   * A school that was read before the notice of a change must not be cached after it. The notice removes
   * the entry of this reading, so the result is stored only if that entry is still there.
   */
  async #read(origin: string, entry: Entry): Promise<School | undefined> {
    const readAt = this.#now()
    // Made-up hosts wait in one line, and a school that was known is read again in its own.
    const share = this.#known.latestSchoolId(origin) ?? ''
    const db = viewOf(this.#db, { lane: share === '' ? 'stranger' : 'interactive', share })
    const school = await findSchoolByOrigin(db, origin)
    if (this.#known.get(origin) === entry) {
      this.#known.set(origin, { school, readAt, reading: undefined })
    }
    return school
  }
}
