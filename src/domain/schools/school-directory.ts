import type { Db } from '../../foundation/db/database.ts'
import { findSchoolByOrigin, type School } from './school.ts'

/** How long a school is known without proof that no notice of a change was missed. */
const LIFETIME_MS = 30_000
/** With that proof. No notice tells that time has passed: a retired key is published for a day. */
const LONGEST_MS = 300_000
/** A school that is asked for so shortly before is read again meanwhile, so that nobody waits for it. */
const AHEAD_MS = 10_000
/** Strangers can make up hosts without end; the oldest entry makes room. */
const MAX_ENTRIES = 20_000

interface Entry {
  readonly school: School | undefined
  readonly readAt: number
}

/**
 * Finds the school of an origin, at the cost of one map lookup however many schools there are.
 * Changes are announced by PostgreSQL. While announcements are known to arrive, a school is read every
 * five minutes; else, or when that can no longer be told, after half a minute.
 */
export class SchoolDirectory {
  readonly #db: Db
  readonly #now: () => number
  readonly #maxEntries: number
  readonly #entries = new Map<string, Entry>()
  readonly #loading = new Map<string, Promise<School | undefined>>()
  #generation = 0
  #provenAt = Number.NEGATIVE_INFINITY

  /** The clock only goes forward: the time of day may be set back, and would keep what was revoked. */
  constructor(db: Db, now: () => number = () => performance.now(), maxEntries = MAX_ENTRIES) {
    this.#db = db
    this.#now = now
    this.#maxEntries = maxEntries
  }

  find(origin: string): School | undefined | Promise<School | undefined> {
    const entry = this.#entries.get(origin)
    if (entry === undefined) return this.#loadOnce(origin)
    const { readAt } = entry
    const until = Math.min(Math.max(readAt, this.#provenAt) + LIFETIME_MS, readAt + LONGEST_MS)
    const left = until - this.#now()
    if (left <= 0) return this.#loadOnce(origin)
    if (left < AHEAD_MS && entry.school !== undefined) {
      // If it fails, whoever comes after the end of its lifetime is told.
      this.#loadOnce(origin).catch(() => undefined)
    }
    return entry.school
  }

  /** No announcement was missed so far: whatever is known is as good as read just now. */
  confirm(): void {
    this.#provenAt = this.#now()
  }

  /** Forgets one school, and every origin that had none, since this may be a new one; or everything. */
  forget(schoolId?: string): void {
    this.#generation++
    this.#loading.clear()
    if (schoolId === undefined) {
      this.#entries.clear()
      return
    }
    for (const [origin, { school }] of this.#entries) {
      if (school === undefined || school.id === schoolId) this.#entries.delete(origin)
    }
  }

  #loadOnce(origin: string): Promise<School | undefined> {
    const loading = this.#loading.get(origin)
    if (loading !== undefined) return loading
    const load = this.#load(origin).finally(() => {
      // Forgotten meanwhile, it may have been followed by a load that others wait for.
      if (this.#loading.get(origin) === load) this.#loading.delete(origin)
    })
    this.#loading.set(origin, load)
    return load
  }

  async #load(origin: string): Promise<School | undefined> {
    const generation = this.#generation
    const school = await findSchoolByOrigin(this.#db, origin)
    // What was read before a change was announced must not be kept after it.
    if (generation === this.#generation) this.#keep(origin, school)
    return school
  }

  #keep(origin: string, school: School | undefined): void {
    this.#entries.delete(origin)
    this.#entries.set(origin, { school, readAt: this.#now() })
    if (this.#entries.size > this.#maxEntries) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
  }
}
