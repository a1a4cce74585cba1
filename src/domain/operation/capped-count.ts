import { type RawBuilder, sql } from 'kysely'
import { count } from './fields.ts'
import { MOST_SHOWN } from './list-page.ts'

/** How many rows `from …` has, counted to one more than `most`. */
export function cappedCount(from: RawBuilder<unknown>, most = MOST_SHOWN): RawBuilder<number> {
  return sql<number>`(select count(*) from (select ${from} limit ${sql.lit(most + 1)}) counted)`
}

export function cappedCountField(most = MOST_SHOWN, meaning?: string) {
  const limit = `Counted to ${most + 1}, which means more than ${most}.`
  const description = meaning === undefined ? limit : `${meaning} ${limit}`
  return count.max(most + 1).meta({ description })
}
