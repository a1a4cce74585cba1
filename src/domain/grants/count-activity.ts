import { sql } from 'kysely'
import { acrossSchools, atSchool, type SchoolDb } from '../../foundation/db/school-db.ts'
import { isChange, type OperatorSubject, operatorData } from '../clients/scope-catalogue.ts'

const MINUTE_MS = 60_000
/** Of all schools: authorizations and kinds of data that wait for their row. */
const MOST_WAITING = 20_000
const ROWS_AT_ONCE = 1_000

interface Counted {
  readonly authorizationId: string
  readonly kind: ActivityKind
  reads: number
  changes: number
}

interface SchoolCounts {
  readonly db: SchoolDb
  readonly counted: Map<string, Counted>
}

/** Who used an app: an authorization of the school. */
interface Used {
  readonly authorizationId?: string | undefined
}

const schools = new Map<string, SchoolCounts>()
let waiting = 0
/** Whether so much waits that it is written before the minute is over. */
let isEarly = false
let timer: NodeJS.Timeout | undefined
let writing = Promise.resolve()

/**
 * Counts in memory that an app read or changed something, so that no request sends a statement for
 * it. A timer writes one row for an authorization and a kind; a process that crashes loses a
 * minute.
 */
export function noteActivity(
  db: SchoolDb,
  { authorizationId }: Used,
  kind: ActivityKind,
  access: 'read' | 'change',
): void {
  if (authorizationId === undefined) return
  const counted = countedOf(db, authorizationId, kind)
  if (counted === undefined) return
  if (access === 'read') counted.reads++
  else counted.changes++
  if (waiting === MOST_WAITING && !isEarly) {
    isEarly = true
    void writeActivity()
  }
}

/** Counts an operation: the scopes that it needed say what it read or changed. */
export function noteScopes(db: SchoolDb, used: Used, scopes: readonly string[]): void {
  for (const scope of scopes) {
    const kind = kindOfScope(scope)
    if (kind !== undefined) noteActivity(db, used, kind, isChange(scope) ? 'change' : 'read')
  }
}

/** Undefined if too much waits already. */
function countedOf(db: SchoolDb, authorizationId: string, kind: ActivityKind): Counted | undefined {
  const key = `${authorizationId} ${kind}`
  const known = schools.get(db.schoolId)?.counted.get(key)
  if (known !== undefined) return known
  if (waiting >= MOST_WAITING) return undefined
  waiting++
  timer ??= setTimeout(writeActivity, MINUTE_MS).unref()
  const counted = { authorizationId, kind, reads: 0, changes: 0 }
  countsAt(db).set(key, counted)
  return counted
}

function countsAt(db: SchoolDb): Map<string, Counted> {
  const known = schools.get(db.schoolId)
  if (known !== undefined) return known.counted
  // A view of its own, because that of a request would keep the request in memory.
  const lasting = atSchool(acrossSchools(db), db.schoolId, { lane: 'batch' })
  const counted = new Map<string, Counted>()
  schools.set(db.schoolId, { db: lasting, counted })
  return counted
}

/** Writes what was counted: once a minute, early if much waits, and before the process ends. */
export async function writeActivity(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  writing = writing.then(writeAll)
  await writing
}

/** One school after the other: nothing waits for this, so it takes one connection. */
async function writeAll(): Promise<void> {
  const taken = [...schools.values()]
  schools.clear()
  waiting = 0
  isEarly = false
  for (const { db, counted } of taken) {
    const rows = [...counted.values()]
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const some = rows.slice(start, start + ROWS_AT_ONCE)
      await writeRows(db, some).catch(() => countAgain(db, some))
    }
  }
}

/** The database is away: the counts wait for the next minute. */
function countAgain(db: SchoolDb, rows: readonly Counted[]): void {
  for (const { authorizationId, kind, reads, changes } of rows) {
    const counted = countedOf(db, authorizationId, kind)
    if (counted === undefined) return
    counted.reads += reads
    counted.changes += changes
  }
}

/** In the order of their keys, so that two processes wait for each other and never both. */
async function writeRows(db: SchoolDb, rows: readonly Counted[]): Promise<void> {
  const ids = rows.map(({ authorizationId }) => authorizationId)
  const kinds = rows.map(({ kind }) => kind)
  const reads = rows.map((row) => row.reads)
  const changes = rows.map((row) => row.changes)
  const added = (table: string) => sql`
    reads = ${sql.ref(`${table}.reads`)} + excluded.reads,
    changes = ${sql.ref(`${table}.changes`)} + excluded.changes,
    last_read_at = coalesce(excluded.last_read_at, ${sql.ref(`${table}.last_read_at`)}),
    last_changed_at = coalesce(excluded.last_changed_at, ${sql.ref(`${table}.last_changed_at`)})`
  await db.run(sql`
    with counted as materialized (
      select a.school_id, a.client_id, a.id, n.kind, (now() at time zone s.time_zone)::date as day, n.reads, n.changes,
        case when n.reads > 0 then now() end as last_read_at, case when n.changes > 0 then now() end as last_changed_at
      from unnest(${ids}::uuid[], ${kinds}::text[], ${reads}::int[], ${changes}::int[]) n (id, kind, reads, changes)
        join authorizations a on a.id = n.id and a.school_id = ${db.schoolId}
        join schools s on s.id = a.school_id),
    own as (
      insert into app_activity as a (school_id, authorization_id, kind, day, reads, changes, last_read_at, last_changed_at)
      select school_id, id, kind, day, reads, changes, last_read_at, last_changed_at from counted order by id, kind
      on conflict (school_id, authorization_id, kind, day) do update set ${added('a')})
    insert into app_activity_sums as s (school_id, client_id, kind, day, reads, changes, last_read_at, last_changed_at)
    select school_id, client_id, kind, day, sum(reads), sum(changes), max(last_read_at), max(last_changed_at)
    from counted group by school_id, client_id, kind, day order by client_id, kind
    on conflict (school_id, client_id, kind, day) do update set ${added('s')}`)
}

/** The kinds into which the data of members is divided, besides those that operators have, too. */
const MEMBER_DATA = {
  profile: 'name and email',
  bookings: 'bookings',
  payments: 'payments',
  notifications: 'notifications',
} as const

/** The kinds of data that apps read and change. */
export type ActivityKind = keyof typeof MEMBER_DATA | OperatorSubject

const WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(MEMBER_DATA),
  ...Object.entries(operatorData).map(([kind, { data }]) => [kind, data] as const),
])

/** How pages call a kind. A row may have a kind that another version knows. */
export function wordsOfKind(kind: string): string {
  return WORDS.get(kind) ?? kind.replaceAll('_', ' ')
}

/** The kind of data behind a scope of operators; undefined for other scopes. */
export function kindOfScope(scope: string): ActivityKind | undefined {
  const [subject = ''] = scope.split(':')
  return WORDS.has(subject) ? (subject as ActivityKind) : undefined
}
