import type { World } from './world.ts'

/**
 * Moves every moment of every row into the past, as if so much time had gone by. Ids keep the time
 * in which they were made: give `purgeOnce` a later time too.
 */
export async function passTime(world: World, interval: string): Promise<void> {
  const { pool } = world.database
  const { rows } = await pool.query<{ name: string; columns: string[] }>(`
    select c.table_name as name, array_agg(c.column_name::text) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and c.data_type = 'timestamp with time zone' and c.table_name not in ('schema_migrations', 'audit_entries')
    group by c.table_name`)
  const updates = rows.map(({ name, columns }) => {
    const moved = columns.map((column) => `${column} = ${column} - interval '${interval}'`)
    return `update ${name} set ${moved.join(', ')};`
  })
  await pool.query(updates.join('\n'))
}
