import { type RawBuilder, sql } from 'kysely'
import { containsCode, containsText } from '../../foundation/db/contains-words.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { line } from './fields.ts'
import type { Condition, Filter } from './list-filters.ts'
import type { Found, RelatedSearch } from './search-related.ts'

const searchText = line(100)

/** With more ids, to count what they match would take long. */
const FEW_IDS = 1000

/**
 * Columns that are read as one have one index. A code is a number or another text that has no
 * words.
 */
type Searched = string | readonly string[] | { readonly code: string } | RelatedSearch

/**
 * A search for text inside any of these columns, in upper or lower case, or by related rows that
 * contain it.
 */
export function searchIn(...searched: readonly Searched[]): Filter<typeof searchText> {
  return {
    schema: searchText.optional(),
    where: async (text, db) => await conditionOf(searched, text, db),
  }
}

async function conditionOf(
  searched: readonly Searched[],
  text: string,
  db: SchoolDb,
): Promise<Condition> {
  const conditions: RawBuilder<unknown>[] = []
  const found: Found[] = []
  let isBroad = false
  let countsUp = false
  for (const one of searched) {
    if (typeof one === 'object' && 'by' in one) {
      const ids = await one.find(db, text)
      isBroad ||= ids === undefined || ids.count > FEW_IDS
      countsUp ||= one.countsUp === true
      if (ids !== undefined) found.push({ by: one.by, ids })
      conditions.push(
        ids === undefined ? one.isFound(db, text) : sql`r.${sql.ref(one.by)} = any(${ids.array})`,
      )
    } else if (typeof one === 'object' && 'code' in one) {
      conditions.push(containsCode(`r.${one.code}`, text))
    } else {
      const columns = [one].flat().map((column) => `r.${column}`)
      conditions.push(containsText(columns, text))
    }
  }
  const isAll = found.length === searched.length
  return {
    sql: sql`(${sql.join(conditions, sql` or `)})`,
    isBroad,
    found: countsUp && isAll ? found : undefined,
  }
}
