import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { containsText, plannedEachTime } from '../../foundation/db/contains-words.ts'
import { id, line } from './fields.ts'
import type { ListOperation } from './list-operation.ts'
import type { ReadOperation } from './operation.ts'
import { keyOf } from './resource.ts'

/** More choices than this are found by typing a part of the name. */
export const MOST_CHOICES = 50
/** An object can name so many others. */
const MOST_CHOSEN = 5000

const input = z.strictObject({
  search: line(100).optional(),
  chosen: z.array(id).max(MOST_CHOSEN).default([]),
})

const output = z.strictObject({
  data: z.array(z.strictObject({ id, name: z.string() })),
  has_more: z.boolean(),
})

export type ChoiceOperation = ReadOperation<typeof input, typeof output>

interface ChoiceDetails {
  /**
   * A text that tells objects of one name apart; if left out, the name. The object is called `r`.
   */
  readonly label?: RawBuilder<unknown>
  /** Which objects can be chosen. */
  readonly where?: RawBuilder<unknown>
}

/**
 * What a form offers to choose from a list: what is chosen, and objects whose name contains a text.
 * One statement.
 */
export function choiceOperation(
  list: ListOperation,
  column: string,
  { label, where = sql`true` }: ChoiceDetails = {},
): ChoiceOperation {
  const key = keyOf(list.of)
  const name = sql`r.${sql.ref(column)}`
  const { title, summary, scopes, examples } = list
  return {
    name: list.name.replace(/\.list$/, '.choose'),
    title,
    summary,
    scopes,
    examples,
    kind: 'read',
    input,
    output,
    async run(db, caller, { search, chosen }) {
      const rows = sql`select r.${key} as id, ${label ?? name} as name from (${list.of.rows(db, caller)}) r`
      const found = search === undefined ? sql`true` : containsText(`r.${column}`, search)
      const asked = await db.run(sql<{ id: string; name: string; chosen: boolean }>`
        (select id, name, true as chosen from (${rows} where r.${key} = any(${chosen}::uuid[])) chosen)
        union all
        (select id, name, false from (
          ${rows} where ${where} and ${found} and r.${key} <> all(${chosen}::uuid[])
          order by ${name} collate "C", r.${key} limit ${sql.lit(MOST_CHOICES + 1)}) others)
        ${search === undefined ? sql`` : plannedEachTime}`)
      const others = asked.rows.filter((row) => !row.chosen)
      const shown = [...asked.rows.filter((row) => row.chosen), ...others.slice(0, MOST_CHOICES)]
      return {
        data: shown.map(({ id: value, name: words }) => ({ id: value, name: words })),
        has_more: others.length > MOST_CHOICES,
      }
    },
  }
}
