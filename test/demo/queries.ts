import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../src/foundation/db/database.ts'

export async function rowsOf<R>(db: Db, statement: RawBuilder<R>): Promise<R[]> {
  return (await statement.execute(db)).rows
}

export async function rowOf<R>(db: Db, statement: RawBuilder<R>): Promise<R> {
  const [row] = await rowsOf(db, statement)
  if (row === undefined) throw new Error('the query returned no row')
  return row
}

export async function count(db: Db, statement: RawBuilder<{ n: number }>): Promise<number> {
  return (await rowOf(db, statement)).n
}

/** The id of a demo school, as part of a statement. */
export const at = (subdomain: string) =>
  sql`(select id from schools where subdomain = ${subdomain})`

/** The id of a person of the demo world, as part of a statement. */
export const person = (name: string) =>
  sql`(select id from users where email = ${`${name}@demo.test`})`
