import { sql } from 'kysely'
import type { z } from 'zod'
import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { WriteOperation } from './operation.ts'
import { notFound, stale } from './refusal.ts'

type Columns = Readonly<Record<string, unknown>>

export interface Target {
  /** The name of the object in a refusal. */
  readonly object: string
  /** The columns that identify the row, besides school_id. */
  readonly key: Columns
  readonly ifVersion?: number | undefined
}

/**
 * Writes to one row that check its version in the same statement, so that no other write comes
 * between.
 */
export function writing(tx: SchoolTx) {
  return {
    /**
     * Sets the given columns; undefined leaves a column unchanged. Refuses missing rows and stale
     * versions.
     */
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

/** Also locks the row, so that what the caller decides next is still true when it writes. */
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

/**
 * For operations without scopes: people perform them in the admin area and on the command line.
 * Apps cannot, so the reference needs no examples.
 */
export const WITHOUT_SCOPE = { scopes: [], examples: [] } as const

/** A write without scopes. */
export function unscopedWrite<I extends z.ZodObject, O extends z.ZodObject>(
  details: Omit<WriteOperation<I, O>, 'scopes' | 'examples'>,
): WriteOperation<I, O> {
  return { ...WITHOUT_SCOPE, ...details }
}
