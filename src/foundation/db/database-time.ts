import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The database's clock, which every stored time comes from: the clocks of several servers may differ. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The database did not tell the time.')
  return row.now
}
