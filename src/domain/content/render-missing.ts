import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { renderInThread } from '../../foundation/markdown/render-in-thread.ts'
import { RENDERER } from '../../foundation/markdown/render-markdown.ts'
import { PUBLIC_TEXTS, type PublicTextTable } from './rendered-texts.ts'

const LOWEST = '00000000-0000-0000-0000-000000000000'

/** Rows that one step looks at. */
const STEP_ROWS = 1000

export interface RenderingOptions {
  /** The most steps in each table; without it, to the end of all tables. */
  readonly steps?: number
  readonly signal?: AbortSignal
}

/**
 * Renders the texts whose HTML is missing or of an older renderer: those from before an update, and those that
 * another program wrote. Any number of processes may do this at once. Returns how many it rendered.
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
