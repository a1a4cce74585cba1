import { type RawBuilder, sql } from 'kysely'

/** Compares members of a row `r` with the columns `wanted_…`. */
export function matching(names: readonly string[]): RawBuilder<unknown> {
  const matches = names.map((name) => sql`${memberOf(name)} = ${wantedAs(name)}`)
  return sql.join(matches, sql` and `)
}

/**
 * The same comparison, written so that only an index with the members in this order can serve it. Two
 * row bounds let the index scan stop at a missing entry. The bounds of the first member add nothing to
 * the result; they tell PostgreSQL how few rows lie between the bounds.
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
