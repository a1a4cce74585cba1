interface Queryable {
  query(sql: string): Promise<{ rows: readonly unknown[] }>
}

/** The names of the extensions that the database has. */
export async function installedExtensions(database: Queryable): Promise<ReadonlySet<string>> {
  const { rows } = await database.query('select extname as name from pg_extension')
  return new Set(rows.map((row) => (row as { name: string }).name))
}
