/** Sends a statement on a connection that is not the building one. */
export type Query = (sql: string, values: unknown[]) => Promise<{ rows: readonly unknown[] }>

export interface IndexProgress {
  /** PostgreSQL's own words, such as `building index: scanning table`. */
  readonly phase: string
  /** Of this phase; null while PostgreSQL waits for transactions or does not say. */
  readonly percent: number | null
}

/** Undefined if no process builds the index at this moment. */
export async function findProgress(
  query: Query,
  index: string,
): Promise<IndexProgress | undefined> {
  const { rows } = await query(
    `select phase, floor(100.0 * coalesce(
       tuples_done::numeric / nullif(tuples_total, 0), blocks_done::numeric / nullif(blocks_total, 0)))::int as percent
     from pg_stat_progress_create_index
     where datname = current_database() and index_relid = to_regclass($1)`,
    [index],
  )
  return rows[0] as IndexProgress | undefined
}

export function saidProgress(progress: IndexProgress | undefined): string {
  if (progress === undefined) return 'no process builds it at this moment'
  const { phase, percent } = progress
  return percent === null ? phase : `${phase}, ${percent} percent`
}
