import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { renderInThread } from '../../foundation/markdown/render-in-thread.ts'
import { RENDERER } from '../../foundation/markdown/render-markdown.ts'
import { same } from '../bulk/plan-rows.ts'
import type { PlannedRow } from '../bulk/table-details.ts'

/** The texts that visitors and members read: tables with their columns in Markdown. */
export const PUBLIC_TEXTS = {
  posts: 'body',
  pages: 'body',
  courses: 'description',
  events: 'description',
  lectures: 'body',
  membership_plans: 'description',
  digital_products: 'description',
} as const

export type PublicTextTable = keyof typeof PUBLIC_TEXTS

interface WrittenText {
  readonly id: string
  readonly text: string
}

/** So much text is stored by one statement. */
const SLICE_LENGTH = 64 * 1024

/** Stores the HTML of texts that were written in the same transaction. */
export async function keepRendered(tx: SchoolTx, texts: readonly WrittenText[]): Promise<void> {
  let slice: WrittenText[] = []
  let length = 0
  for (const written of texts) {
    slice.push(written)
    length += written.text.length
    if (length < SLICE_LENGTH) continue
    await keepSlice(tx, slice)
    slice = []
    length = 0
  }
  if (slice.length > 0) await keepSlice(tx, slice)
}

async function keepSlice(tx: SchoolTx, texts: readonly WrittenText[]): Promise<void> {
  const ids = texts.map(({ id }) => id)
  const pages: string[] = []
  for (const { text } of texts) pages.push(await renderInThread(text, tx.schoolId))
  await tx.run(sql`
    insert into rendered_texts (school_id, object_id, renderer, html)
    select ${tx.schoolId}::uuid, v.id, ${RENDERER}::int, v.html
    from unnest(${ids}::uuid[], ${pages}::text[]) v (id, html)
    on conflict (school_id, object_id)
      do update set renderer = excluded.renderer, html = excluded.html`)
}

/** The same for the rows of an import. */
export function keepImported(
  table: PublicTextTable,
): (tx: SchoolTx, rows: readonly PlannedRow[]) => Promise<void> {
  const column = PUBLIC_TEXTS[table]
  return async (tx, rows) => {
    const texts = rows.flatMap(({ values, before }) => {
      const text = values[column]
      const isNew =
        typeof text === 'string' && (before === undefined || !same(text, before[column]))
      return isNew ? [{ id: String(values.id), text }] : []
    })
    await keepRendered(tx, texts)
  }
}

/**
 * The HTML of the text of a row; null if this version of the renderer, or a newer one, has not made it. Show the
 * text as it was written then: a visitor must not be able to make the server render.
 */
export function htmlOf(row: string): RawBuilder<string | null> {
  return sql`(
    select t.html from rendered_texts t
    where t.school_id = ${sql.ref(`${row}.school_id`)} and t.object_id = ${sql.ref(`${row}.id`)}
      and t.renderer >= ${sql.lit(RENDERER)})`
}

/** The same by the id of the row. */
export async function findHtml(at: SchoolDb, id: string): Promise<string | undefined> {
  const kept = await at
    .from('rendered_texts')
    .select('html')
    .where('object_id', '=', id)
    .where('renderer', '>=', RENDERER)
    .executeTakeFirst()
  return kept?.html
}
