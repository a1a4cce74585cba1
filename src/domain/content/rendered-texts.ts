import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { renderInThread } from '../../foundation/markdown/render-in-thread.ts'
import { RENDERER } from '../../foundation/markdown/render-markdown.ts'
import { same } from '../bulk/plan-rows.ts'
import type { PlannedRow } from '../bulk/table-details.ts'

/** The texts that visitors and members read: tables with their columns in Markdown. */
const PUBLIC_TEXTS = {
  posts: 'body',
  pages: 'body',
  courses: 'description',
  events: 'description',
  lectures: 'body',
  membership_plans: 'description',
  digital_products: 'description',
} as const

type PublicTextTable = keyof typeof PUBLIC_TEXTS

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

/** Stores the HTML of a text after each write of its column. */
export function keepsText(column: string) {
  return async (
    tx: SchoolTx,
    id: string,
    { [column]: text }: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    if (typeof text === 'string') await keepRendered(tx, [{ id, text }])
  }
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

/** Renders the texts of the rows of an import. */
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
 * The HTML of the text of a row; null if this version of the renderer, or a newer one, has not made
 * it. Show the text as it was written then: a visitor must not be able to make the server render.
 */
export function htmlOf(row: string): RawBuilder<string | null> {
  return sql`(
    select t.html from rendered_texts t
    where t.school_id = ${sql.ref(`${row}.school_id`)} and t.object_id = ${sql.ref(`${row}.id`)}
      and t.renderer >= ${sql.lit(RENDERER)})`
}

/** The rendered text of the row with this id. */
export async function findHtml(db: SchoolDb, id: string): Promise<string | undefined> {
  const kept = await db
    .from('rendered_texts')
    .select('html')
    .where('object_id', '=', id)
    .where('renderer', '>=', RENDERER)
    .executeTakeFirst()
  return kept?.html
}

const LOWEST = '00000000-0000-0000-0000-000000000000'

/** Rows that one step looks at. */
const STEP_ROWS = 1000

export interface RenderingOptions {
  /** The most steps in each table; without it, to the end of all tables. */
  readonly steps?: number
  readonly signal?: AbortSignal
}

/**
 * Renders the texts whose HTML is missing or of an older renderer: those from before an update, and
 * those that another program wrote. Any number of processes may do this at once. Returns how many
 * it rendered.
 */
export async function renderMissing(db: Db, options: RenderingOptions = {}): Promise<number> {
  const { steps = Number.POSITIVE_INFINITY, signal } = options
  let rendered = 0
  for (const table of Object.keys(PUBLIC_TEXTS) as PublicTextTable[]) {
    let after: Place | undefined = { school_id: LOWEST, id: LOWEST }
    for (let step = 0; step < steps && after !== undefined; step++) {
      const page = await readPage(db, table, after)
      for (const row of page) {
        if (signal?.aborted === true) return rendered
        if (row.missing && (await renderRow(db, table, row))) rendered += 1
      }
      after = page.length < STEP_ROWS ? undefined : page.at(-1)
    }
  }
  return rendered
}

interface Place {
  readonly school_id: string
  readonly id: string
}

async function readPage(
  db: Db,
  table: PublicTextTable,
  after: Place,
): Promise<(Place & { readonly missing: boolean })[]> {
  const { rows } = await sql<Place & { missing: boolean }>`
    select p.school_id, p.id, t.object_id is null as missing
    from ${sql.table(table)} p
      left join rendered_texts t on t.school_id = p.school_id and t.object_id = p.id
        and t.renderer >= ${sql.lit(RENDERER)}
    where (p.school_id, p.id) > (${after.school_id}::uuid, ${after.id}::uuid)
    order by p.school_id, p.id limit ${sql.lit(STEP_ROWS)}`.execute(db)
  return rows
}

/** False if the text is gone, or was changed meanwhile: its writer rendered it then. */
async function renderRow(
  db: Db,
  table: PublicTextTable,
  { school_id, id }: Place,
): Promise<boolean> {
  const row = sql`from ${sql.table(table)} p where p.school_id = ${school_id} and p.id = ${id}`
  const { rows } = await sql<{ version: number; text: string }>`
    select p.version, p.${sql.ref(PUBLIC_TEXTS[table])} as text ${row}`.execute(db)
  const [found] = rows
  if (found === undefined) return false
  const html = await renderInThread(found.text, school_id)
  const { numAffectedRows = 0n } = await sql`
    insert into rendered_texts (school_id, object_id, renderer, html)
    select p.school_id, p.id, ${RENDERER}::int, ${html}
    ${row} and p.version = ${found.version} for share of p
    on conflict (school_id, object_id)
      do update set renderer = excluded.renderer, html = excluded.html
      where rendered_texts.renderer < excluded.renderer`.execute(db)
  return numAffectedRows > 0n
}
