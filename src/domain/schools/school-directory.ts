import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { viewOf } from '../../foundation/db/lanes.ts'
import { findSchoolByOrigin, type School, type SchoolVariant } from './school.ts'

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
  /**
   * Strangers can make up hosts without end: these have a small part, and push out each other only.
   */
  readonly #maxUnknown: number
  readonly #entries = new Map<string, Entry>()
  /**
   * The origins by the id of their school; the key undefined holds the origins without a school.
   */
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

  /**
   * Removes the oldest entry if the cache is full, or the oldest without a school if there are too
   * many.
   */
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

  /**
   * Forgets a changed school, and all origins without a school: the school may have one of them
   * now.
   */
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
    // The empty set of the key undefined stays: a Map becomes slow if one key is deleted and set
    // again all the time, because it searches all deleted entries until it is resized.
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

/** How long a school is cached if a notice of a change may have been missed. */
const LIFETIME_MS = 30_000
/**
 * How long if no notice was missed. Time alone changes a school too: a retired key is published for
 * a day.
 */
const LONGEST_MS = 300_000
/**
 * A request in this last part of the lifetime starts a new reading, so that no request waits for
 * it.
 */
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
 * Finds the school of an origin by one map lookup, however many schools there are. PostgreSQL sends
 * a notice of every change. While the notices arrive, a school is read again after five minutes;
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
   * A school that was read before the notice of a change must not be cached after it. The notice
   * removes the entry of this reading, so the result is stored only if that entry is still there.
   */
  async #read(origin: string, entry: Entry): Promise<School | undefined> {
    const readAt = this.#now()
    // Made-up hosts wait in one line, and a school that was known is read again in its own.
    const tenant = this.#known.latestSchoolId(origin) ?? ''
    const db = viewOf(this.#db, { lane: tenant === '' ? 'stranger' : 'interactive', tenant })
    const school = await findSchoolByOrigin(db, origin)
    if (this.#known.get(origin) === entry) {
      this.#known.set(origin, { school, readAt, reading: undefined })
    }
    return school
  }
}

export interface ListedSchool {
  readonly id: string
  readonly subdomain: string
  readonly origin: string
  readonly name: string
  readonly variant: SchoolVariant
  readonly mcpConnections: boolean
  readonly openRegistration: boolean
  readonly documentHosts: readonly string[]
  readonly signsIdTokens: boolean
  /** Whether a published key waits to be activated. */
  readonly hasWaitingKey: boolean
  readonly suspendedAt: Date | null
  readonly createdAt: Date
}

/** Crosses schools: all that were not deleted, by subdomain. */
export async function listSchools(db: Db): Promise<readonly ListedSchool[]> {
  return await selectListed(db, sql`true`)
}

/** Crosses schools: the school with this subdomain, origin or id. */
export async function findSchoolNamed(db: Db, name: string): Promise<ListedSchool | undefined> {
  const named = sql`${name.trim().toLowerCase()} in (s.subdomain, s.origin, s.id::text)`
  return (await selectListed(db, named))[0]
}

async function selectListed(
  db: Db,
  condition: ReturnType<typeof sql>,
): Promise<readonly ListedSchool[]> {
  const { rows } = await sql<ListedSchool>`
    select s.id, s.subdomain, s.origin, s.name, s.variant, s.mcp_connections as "mcpConnections",
      s.open_registration as "openRegistration", s.document_hosts as "documentHosts",
      exists (select from signing_keys k where k.school_id = s.id and k.stage = 'active') as "signsIdTokens",
      exists (select from signing_keys k where k.school_id = s.id and k.stage = 'published') as "hasWaitingKey",
      s.suspended_at as "suspendedAt", s.created_at as "createdAt"
    from schools s where s.deleted_at is null and ${condition} order by s.subdomain collate "C"`.execute(
    db,
  )
  return rows
}
