import { sql, type Transaction } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { recordChange } from '../audit/record-change.ts'
import type { SchoolVariant } from './school.ts'
import {
  type FieldProblem,
  fieldProblems,
  type NewSchool,
  newSchool,
  type SchoolChanges,
  schoolChanges,
} from './school-details.ts'

export type SchoolRefusal =
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] }
  | { readonly kind: 'taken'; readonly field: 'subdomain' | 'origin' }

/** Crosses schools: makes a new one, looking as the default does. */
export async function createSchool(
  tx: Transaction<DB>,
  details: NewSchool,
  by: AuditedActor,
): Promise<{ readonly kind: 'created'; readonly id: string } | SchoolRefusal> {
  const parsed = newSchool.safeParse(details)
  if (!parsed.success) return { kind: 'invalid', problems: fieldProblems(parsed.error) }
  const { subdomain, origin, name } = parsed.data
  const row = await tx
    .insertInto('schools')
    .values({ ...columnsOf(parsed.data), subdomain, origin, name, id: uuidv7() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return { kind: 'taken', field: await takenField(tx, subdomain) }
  const at = atSchoolInTransaction(tx, row.id)
  await at.insert('appearances', {}).execute()
  await recordChange(at, by, { action: 'school.created', detail: { subdomain, origin } })
  return { kind: 'created', id: row.id }
}

async function takenField(tx: Transaction<DB>, subdomain: string): Promise<'subdomain' | 'origin'> {
  const same = await tx
    .selectFrom('schools')
    .select('id')
    .where('subdomain', '=', subdomain)
    .executeTakeFirst()
  return same === undefined ? 'origin' : 'subdomain'
}

/**
 * Changes what is given and leaves the rest. A new origin is a new issuer: tokens go on working at
 * it, but clients have to discover it and people have to sign in again.
 */
export async function changeSchool(
  tx: SchoolTx,
  changes: SchoolChanges,
  by: AuditedActor,
): Promise<{ readonly kind: 'changed' } | SchoolRefusal> {
  const parsed = schoolChanges.safeParse(changes)
  if (!parsed.success) return { kind: 'invalid', problems: fieldProblems(parsed.error) }
  const columns = columnsOf(parsed.data)
  const changed = Object.keys(columns)
  if (changed.length === 0) return { kind: 'changed' }
  const taken = await findTaken(tx, parsed.data)
  if (taken !== undefined) return { kind: 'taken', field: taken }
  const assignments = Object.entries(columns).map(([column, value]) => {
    return sql`${sql.ref(column)} = ${value}`
  })
  await tx.run(sql`update schools set ${sql.join(assignments)} where id = ${tx.schoolId}`)
  await recordChange(tx, by, { action: 'school.changed', detail: { changed } })
  return { kind: 'changed' }
}

async function findTaken(
  tx: SchoolTx,
  { subdomain, origin }: SchoolChanges,
): Promise<'subdomain' | 'origin' | undefined> {
  const { rows } = await tx.run(sql<{ field: 'subdomain' | 'origin' }>`
    select case when subdomain = ${subdomain ?? null} then 'subdomain' else 'origin' end as field
    from schools
    where id <> ${tx.schoolId} and (subdomain = ${subdomain ?? null} or origin = ${origin ?? null})`)
  return rows[0]?.field
}

const COLUMNS = {
  subdomain: 'subdomain',
  origin: 'origin',
  name: 'name',
  description: 'description',
  contactEmail: 'contact_email',
  locale: 'locale',
  timeZone: 'time_zone',
  currency: 'currency',
  variant: 'variant',
  mcpConnections: 'mcp_connections',
  openRegistration: 'open_registration',
  documentHosts: 'document_hosts',
  endAuthorizationOnReplay: 'end_authorization_on_replay',
} as const satisfies Record<keyof SchoolChanges, string>

function columnsOf(details: SchoolChanges): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [field, column] of Object.entries(COLUMNS)) {
    const value = details[field as keyof SchoolChanges]
    if (value !== undefined) columns[column] = value
  }
  return columns
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
  readonly createdAt: Date
}

/** Crosses schools: all of them, by subdomain. */
export async function listSchools(db: Db): Promise<readonly ListedSchool[]> {
  return await selectListed(db, sql`true`)
}

/** Crosses schools: the one that somebody names by its subdomain, origin or id. */
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
      s.created_at as "createdAt"
    from schools s where ${condition} order by s.subdomain collate "C"`.execute(db)
  return rows
}
