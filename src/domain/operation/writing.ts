import { sql } from 'kysely'
import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import { notFound, stale } from './refusal.ts'

type Columns = Readonly<Record<string, unknown>>

export interface Target {
  /** What the row is called in a refusal. */
  readonly object: string
  /** The columns besides school_id that name the row. */
  readonly key: Columns
  readonly ifVersion?: number | undefined
}

/** Writes of one row that check its version in the same statement, so that no race slips between. */
export function writing(tx: SchoolTx) {
  return {
    /** Sets what is given; undefined leaves a column as it is. Refuses missing rows and stale versions. */
    async update(table: TenantTable, target: Target, columns: Columns): Promise<void> {
      const given = Object.entries(columns).filter(([, value]) => value !== undefined)
      if (given.length === 0) return await checkVersion(tx, table, target)
      const assignments = given.map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
      const { rows } = await tx.run(sql`
        update ${sql.table(table)} set ${sql.join(assignments)}
        where ${matching(tx, target)} and ${unchanged(target)} returning 1`)
      if (rows.length === 0) await refuse(tx, table, target)
    },

    async delete(table: TenantTable, target: Target): Promise<void> {
      const { rows } = await tx.run(sql`
        delete from ${sql.table(table)}
        where ${matching(tx, target)} and ${unchanged(target)} returning 1`)
      if (rows.length === 0) await refuse(tx, table, target)
    },
  }
}

function matching(tx: SchoolTx, { key }: Target) {
  const conditions = Object.entries(key).map(
    ([column, value]) => sql`${sql.ref(column)} = ${value}`,
  )
  return sql.join([sql`school_id = ${tx.schoolId}`, ...conditions], sql` and `)
}

function unchanged({ ifVersion }: Target) {
  return ifVersion === undefined ? sql`true` : sql`version = ${ifVersion}`
}

/** Locks the row too: what the caller decides afterwards still holds when it writes. */
export async function checkVersion(
  tx: SchoolTx,
  table: TenantTable,
  target: Target,
): Promise<void> {
  const current = await findVersion(tx, table, target)
  if (current === undefined) throw notFound(target.object)
  if (target.ifVersion !== undefined && target.ifVersion !== current) throw stale(current)
}

async function refuse(tx: SchoolTx, table: TenantTable, target: Target): Promise<never> {
  const current = await findVersion(tx, table, target)
  throw current === undefined ? notFound(target.object) : stale(current)
}

async function findVersion(
  tx: SchoolTx,
  table: TenantTable,
  target: Target,
): Promise<number | undefined> {
  const { rows } = await tx.run(sql<{ version: number }>`
    select version from ${sql.table(table)} where ${matching(tx, target)} for update`)
  return rows[0]?.version
}
