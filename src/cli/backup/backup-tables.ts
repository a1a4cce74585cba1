import type pg from 'pg'

export interface BackupColumn {
  readonly name: string
  readonly type: string
}

export interface BackupTable {
  readonly name: string
  readonly columns: readonly BackupColumn[]
}

/** Not part of a backup: a restore goes into a migrated database, which has its own record and setup code. */
const NOT_DATA = ['schema_migrations', 'setup_codes']

export async function readTables(client: pg.Client): Promise<readonly BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `select c.relname as name,
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [NOT_DATA],
  )
  return rows
}
