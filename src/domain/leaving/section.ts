import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** One part of what a school holds about a person. */
export interface Section {
  /** In the JSON file. */
  readonly name: string
  /** Above it in the file for people. */
  readonly title: string
  /**
   * The tables whose rows about the person it tells. `test/rules/own-data.test.ts` compares them
   * with the schema.
   */
  readonly tables: readonly string[]
  /** The columns of a row. Never a secret, nor a hash of one: the file leaves the server. */
  readonly fields: RawBuilder<unknown>
  /** `from … where …`, for the rows of this person at this school. */
  rows(of: Subject): RawBuilder<unknown>
  /** What SQL cannot do for a row. */
  readonly finish?: (row: Record<string, unknown>) => Record<string, unknown>
  /** A time and an id, by which its rows are in order. */
  readonly order: readonly [time: RawBuilder<unknown>, id: RawBuilder<unknown>]
}

export interface Subject {
  readonly schoolId: string
  readonly userId: string
}

/** The place of a row in its section. */
export type Place = readonly [time: string, id: string]

export interface SectionPage {
  /** Each row as JSON. */
  readonly rows: readonly string[]
  /** Of the last row; undefined if there was none. */
  readonly last: Place | undefined
}

const BEFORE_ALL: Place = ['-infinity', '']

/** The next rows of a section behind a place. */
export async function readSection(
  db: SchoolDb,
  { fields, finish, order: [time, id], ...section }: Section,
  userId: string,
  { after = BEFORE_ALL, limit }: { readonly after?: Place | undefined; readonly limit: number },
): Promise<SectionPage> {
  const { rows } = await db.run(sql<{ row: string; time: string; id: string }>`
    select (select row_to_json(f) from (select ${fields}) f)::text as row, ${time}::timestamptz::text as time, (${id})::text as id
    ${section.rows({ schoolId: db.schoolId, userId })}
      and (${time}::timestamptz, (${id})::text) > (${after[0]}::timestamptz, ${after[1]}::text)
    order by ${time}::timestamptz, (${id})::text limit ${sql.lit(limit)}`)
  const last = rows.at(-1)
  return {
    // An end of line inside a string is escaped, so these stand between values.
    rows: rows.map(({ row }) =>
      finish === undefined ? row.replaceAll('\n', ' ') : JSON.stringify(finish(JSON.parse(row))),
    ),
    last: last === undefined ? undefined : [last.time, last.id],
  }
}
