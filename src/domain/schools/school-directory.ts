import type { Db } from '../../foundation/db/database.ts'
import { KnownOrigins } from './known-origins.ts'
import { findSchoolByOrigin, type School } from './school.ts'

/** How long a school is known without proof that no notice of a change was missed. */
const LIFETIME_MS = 30_000
/** With that proof. No notice tells that time has passed: a retired key is published for a day. */
const LONGEST_MS = 300_000
/** A school that is asked for so shortly before its end is read again meanwhile: no request waits. */
const AHEAD_MS = 10_000
/** Strangers can make up hosts without end; the oldest entry makes room. */
const MAX_ENTRIES = 20_000

interface Entry {
  readonly school: School | undefined
  /** When its statement was sent; minus infinity while the first one is under way. */
  readonly readAt: number
  reading: Promise<School | undefined> | undefined
}

/**
 * Finds the school of an origin, at the cost of one map lookup however many schools there are.
 * Changes are announced by PostgreSQL. While announcements are known to arrive, a school is read every
 * five minutes; else, or when that can no longer be told, after half a minute.
 */
export class SchoolDirectory {
  readonly #db: Db
  readonly #now: () => number
  readonly #known: KnownOrigins<Entry>
  #provenAt = Number.NEGATIVE_INFINITY

  /** The clock only goes forward: the time of day may be set back, and would keep what was revoked. */
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
      // If it fails, the first request after the end of its lifetime is told.
      this.#readOnce(origin, entry).catch(() => undefined)
    }
    return entry.school
  }

  /** No announcement was missed so far: whatever is known is as good as read just now. */
  confirm(): void {
    this.#provenAt = this.#now()
  }

  /** Forgets one school, and every origin that had none, since this may be a new one; or everything. */
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
   * What was read before a change was announced must not be kept after it. A notice takes with it the
   * entry that the reading belongs to: that of the changed school, and any of which no school is known.
   */
  async #read(origin: string, entry: Entry): Promise<School | undefined> {
    const readAt = this.#now()
    const school = await findSchoolByOrigin(this.#db, origin)
    if (this.#known.get(origin) === entry) {
      this.#known.set(origin, { school, readAt, reading: undefined })
    }
    return school
  }
}
