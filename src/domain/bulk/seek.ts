import { type RawBuilder, sql } from 'kysely'

/** Conditions on rows `r` that are looked for by the members of a row `wanted_…`. */
export function matching(names: readonly string[]): RawBuilder<unknown> {
  const matches = names.map((name) => sql`${memberOf(name)} = ${wantedAs(name)}`)
  return sql.join(matches, sql` and `)
}

/**
 * Equal, in words that only the index with the members in this order can serve: it alone has them
 * sorted, and both bounds together let it stop at an entry that is not there. The bounds of the first
 * member say nothing new; they tell PostgreSQL how few rows are between those of all.
 */
export function seeking(names: readonly string[]): RawBuilder<unknown> {
  const [members, wanted] = [sql.join(names.map(memberOf)), sql.join(names.map(wantedAs))]
  const [first = ''] = names
  return sql`(${members}) >= (${wanted}) and (${members}) <= (${wanted})
    and ${memberOf(first)} between ${wantedAs(first)} and ${wantedAs(first)} order by ${members}`
}

export function wantedAs(name: string): RawBuilder<unknown> {
  return sql.ref(`wanted_${name}`)
}

function memberOf(name: string): RawBuilder<unknown> {
  return sql`r.${sql.ref(name)}`
}
