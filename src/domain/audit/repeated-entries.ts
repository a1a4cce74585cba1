import { sql } from 'kysely'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { acrossSchools, atSchool, type SchoolDb } from '../../foundation/db/school-db.ts'
import { type AuditEntry, record } from './audit.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** An entry that stands for others like it. */
interface Repeated {
  /** Absent until its row is written. */
  id?: string
  readonly since: number
  times: number
}

const recent = new LruCache<Repeated>(10_000)

/** By school, entries whose row does not have the newest count yet. */
const uncounted = new Map<string, { readonly db: SchoolDb; readonly entries: Set<Repeated> }>()
let timer: NodeJS.Timeout | undefined

/**
 * For what a caller can repeat without end, such as a token that was refused before: an entry is
 * written once an hour in each process, and counts those that follow in `detail.repeated`.
 * Otherwise one loop fills the table, and an operator finds nothing else in it. Entries are the
 * same if action, outcome, client, person, authorization and `rule` are. The detail does not count:
 * it may repeat what the caller sent, who can send something else each time.
 */
export async function recordOnceAnHour(db: SchoolDb, entry: AuditEntry, rule = ''): Promise<void> {
  const { action, outcome, clientId, actorUserId, authorizationId } = entry
  const same = [db.schoolId, action, outcome, clientId, actorUserId, authorizationId, rule]
  const key = sha256(JSON.stringify(same)).toString('base64')
  const before = recent.get(key)
  if (before !== undefined && performance.now() - before.since < HOUR_MS) {
    before.times++
    countLater(db, before)
    return
  }
  const first: Repeated = { since: performance.now(), times: 0 }
  recent.set(key, first, 1, db.schoolId)
  try {
    first.id = await record(db, entry)
  } catch (error) {
    recent.delete(key)
    throw error
  }
}

/** Not at once: a loop would become as many updates. */
function countLater(db: SchoolDb, entry: Repeated): void {
  const known = uncounted.get(db.schoolId)
  if (known !== undefined) known.entries.add(entry)
  else {
    // A view of its own, because that of a request would keep the request in memory.
    const lasting = atSchool(acrossSchools(db), db.schoolId, { lane: 'batch' })
    uncounted.set(db.schoolId, { db: lasting, entries: new Set([entry]) })
  }
  timer ??= setTimeout(writeRepeatedCounts, MINUTE_MS).unref()
}

/** Writes the counts that are due: once a minute, and before the process ends. */
export async function writeRepeatedCounts(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  const schools = [...uncounted.values()]
  uncounted.clear()
  await Promise.all(
    // After a failure the next repetition tries again: the count in memory is the whole one.
    schools.map(({ db, entries }) => writeCounts(db, [...entries]).catch(() => undefined)),
  )
}

async function writeCounts(db: SchoolDb, entries: readonly Repeated[]): Promise<void> {
  const written = entries.filter(({ id }) => id !== undefined)
  const ids = written.map(({ id }) => id)
  const times = written.map((entry) => entry.times)
  await db.run(sql`
    update audit_entries e set detail = e.detail || jsonb_build_object('repeated', counted.times)
    from unnest(${ids}::uuid[], ${times}::int[]) counted (id, times)
    where e.school_id = ${db.schoolId} and e.id = counted.id`)
}
