import { type RawBuilder, sql } from 'kysely'
import {
  containsCode,
  containsText,
  plannedEachTime,
  readsCode,
  readsText,
} from '../../foundation/db/contains-words.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { findPeople } from '../people/find-people.ts'
import { shownPeople } from '../people/shown-person.ts'
import { line } from './fields.ts'
import type { Condition, Filter } from './list-operation.ts'

const searchText = line(100)

/** If more match, the listed rows are compared one by one: among so many, the first page is soon found. */
const MOST_PEOPLE = 1000
const MOST_ROWS = 20_000
/** With more ids, to count what they match would take long. */
const FEW_IDS = 1000

/** Rows of another table that a search finds first, because an index answers only a condition on its own table. */
export interface FoundFirst {
  /** The column of the listed row that has the id of such a row. */
  readonly by: string
  /** Undefined if too many match. */
  find(at: SchoolDb, text: string): Promise<readonly string[] | undefined>
  /** The same as a condition on the listed row `r`. */
  isFound(at: SchoolDb, text: string): RawBuilder<unknown>
}

/** Columns that are read as one have one index. A code is a number or another text that has no words. */
type Searched = string | readonly string[] | { readonly code: string } | FoundFirst

/** A search for text inside any of these columns, in upper or lower case, or by related rows that contain it. */
export function searchIn(...searched: readonly Searched[]): Filter<typeof searchText> {
  return {
    schema: searchText.optional(),
    where: async (text, at) => await conditionOf(searched, text, at),
  }
}

/** A person's name or email. */
export function personOf(by: string): FoundFirst {
  return {
    by,
    find: (at, text) => findPeople(at, text, MOST_PEOPLE),
    // Not `exists`, for which PostgreSQL may first find all such people of the school.
    isFound: (at, text) => sql`coalesce((
      select true from ${shownPeople(at)} u where u.id = r.${sql.ref(by)}
        and (${readsText('u.name', text)} or ${readsCode('u.email', text)}) limit 1), false)`,
  }
}

/** A text of another table of the school. */
export function textOf(by: string, table: string, column: string): FoundFirst {
  return rowOf(by, table, (text) => containsText(`t.${column}`, text))
}

/** A number of another table of the school. */
export function codeOf(by: string, table: string, column: string): FoundFirst {
  return rowOf(by, table, (text) => containsCode(`t.${column}`, text))
}

function rowOf(
  by: string,
  table: string,
  contains: (text: string) => RawBuilder<boolean>,
): FoundFirst {
  const isMatch = (at: SchoolDb, text: string) =>
    sql`t.school_id = ${at.schoolId} and ${contains(text)}`
  return {
    by,
    async find(at, text) {
      const found = await at.run(sql<{ id: string }>`
        select t.id from ${sql.table(table)} t where ${isMatch(at, text)} limit ${MOST_ROWS + 1} ${plannedEachTime}`)
      return found.rows.length > MOST_ROWS ? undefined : found.rows.map(({ id }) => id)
    },
    isFound: (at, text) => sql`coalesce((
      select true from ${sql.table(table)} t
      where t.id = r.${sql.ref(by)} and ${isMatch(at, text)} limit 1), false)`,
  }
}

async function conditionOf(
  searched: readonly Searched[],
  text: string,
  at: SchoolDb,
): Promise<Condition> {
  const conditions: RawBuilder<unknown>[] = []
  let isBroad = false
  for (const one of searched) {
    if (typeof one === 'object' && 'by' in one) {
      const ids = await one.find(at, text)
      isBroad ||= ids === undefined || ids.length > FEW_IDS
      conditions.push(
        ids === undefined ? one.isFound(at, text) : sql`r.${sql.ref(one.by)} = any(${ids}::uuid[])`,
      )
    } else if (typeof one === 'object' && 'code' in one) {
      conditions.push(containsCode(`r.${one.code}`, text))
    } else {
      const columns = [one].flat().map((column) => `r.${column}`)
      conditions.push(containsText(columns, text))
    }
  }
  return { sql: sql`(${sql.join(conditions, sql` or `)})`, isBroad }
}
