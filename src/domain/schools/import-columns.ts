import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'

const remembered = z.record(z.string(), z.string())

/** The columns that an operator of this school chose for the headings of files of a kind. */
export async function rememberedColumns(
  at: SchoolDb,
  kind: string,
): Promise<Readonly<Record<string, string>>> {
  const { rows } = await at.run(sql<{ columns: unknown }>`
    select import_columns -> ${kind}::text as columns from schools where id = ${at.schoolId}`)
  return remembered.safeParse(rows[0]?.columns).data ?? {}
}

/** Keeps the choice of the last file of each kind. */
export async function rememberColumns(
  tx: SchoolTx,
  kind: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const chosen = JSON.stringify({ [kind]: columns })
  await tx.run(sql`
    update schools set import_columns = import_columns || ${chosen}::jsonb
    where id = ${tx.schoolId} and not import_columns @> ${chosen}::jsonb`)
}
