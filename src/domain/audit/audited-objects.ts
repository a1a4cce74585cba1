import { sql } from 'kysely'
import type { SchoolDb, TenantTable } from '../../foundation/db/school-db.ts'
import { isUuid } from '../../foundation/protocol/token-format.ts'
import { shownPeople } from '../actor/shown-person.ts'
import type { AuditRecord } from './read-audit.ts'

/** What an entry is about, if it exists now. */
export interface AuditedObject {
  /** The first part of the names of its operations: `courses` of `courses.read`. */
  readonly kind: string
  readonly name: string | undefined
}

type Stored = readonly [table: TenantTable, name?: string]

/**
 * Where objects are stored and the column that names them, by the first part of the names of their
 * operations.
 */
const STORED: Readonly<Record<string, Stored>> = {
  comments: ['comments'],
  consulting_meetings: ['consulting_meetings', 'title'],
  consulting_services: ['consulting_services', 'title'],
  consulting_slots: ['consulting_slots'],
  coupons: ['coupons', 'code'],
  courses: ['courses', 'title'],
  digital_products: ['digital_products', 'title'],
  enrollments: ['enrollments'],
  event_registrations: ['event_registrations'],
  events: ['events', 'title'],
  form_submissions: ['form_submissions'],
  forms: ['forms', 'title'],
  lectures: ['lectures', 'title'],
  membership_plans: ['membership_plans', 'name'],
  notifications: ['notifications', 'title'],
  orders: ['orders', 'number'],
  pages: ['pages', 'title'],
  payments: ['payments', 'trade_no'],
  posts: ['posts', 'title'],
  sections: ['sections', 'title'],
  study_groups: ['study_groups', 'name'],
  subscriptions: ['subscriptions'],
}

/** Kinds whose objects are people. */
const PEOPLE = new Set(['students', 'members', 'lecturers', 'people', 'member'])

/** Objects of operations that have no table of their own name. */
const SAME_AS: Readonly<Record<string, string>> = { curriculum: 'courses' }

interface Found {
  readonly kind: string
  readonly id: string
  readonly name: string | null
}

/**
 * The objects of these entries that still exist, by their ids, in one statement of primary keys.
 * Its text is always the same, because a connection prepares each text once. The subject of an
 * operation that became a job is the job.
 */
export async function findAudited(
  db: SchoolDb,
  entries: readonly AuditRecord[],
): Promise<ReadonlyMap<string, AuditedObject>> {
  const ids = new Map<string, string[]>()
  for (const { action, subject, detail } of entries) {
    if (subject === undefined || !isUuid(subject)) continue
    const operation = typeof detail.operation === 'string' ? detail.operation : action
    const kind = kindOf(operation)
    ids.set(kind, [...(ids.get(kind) ?? []), subject])
  }
  if (ids.size === 0) return new Map()
  const idsOf = (kind: string) => sql`any(${ids.get(kind) ?? []}::uuid[])`
  const stored = Object.entries(STORED).map(
    ([kind, [table, name]]) => sql`
      select ${sql.lit(kind)} as kind, id, ${name === undefined ? sql.lit(null) : sql.ref(name)} as name
      from ${sql.table(table)} where school_id = ${db.schoolId} and id = ${idsOf(kind)}`,
  )
  const all = [...ids.values()].flat()
  const { rows } = await db.run(sql<Found>`
    ${sql.join(stored, sql` union all `)}
    union all
    select 'jobs', id, title from jobs
    where school_id = ${db.schoolId} and not of_member and id = any(${all}::uuid[])
    union all
    select 'members', u.id, u.name from ${shownPeople(db)} u where u.roles <> '{}' and u.id = ${idsOf('members')}`)
  return new Map(rows.map(({ kind, id, name }) => [id, { kind, name: name ?? undefined }]))
}

function kindOf(operation: string): string {
  const kind = operation.split('.')[0] ?? ''
  return PEOPLE.has(kind) ? 'members' : (SAME_AS[kind] ?? kind)
}
