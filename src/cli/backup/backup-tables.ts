import type pg from 'pg'

export interface BackupColumn {
  readonly name: string
  readonly type: string
}

export interface BackupTable {
  readonly name: string
  readonly columns: readonly BackupColumn[]
}

interface ForeignKey {
  readonly name: string
  readonly table: string
  readonly target: string
}

export interface BackupCatalogue {
  /** Each table after the tables that it references. */
  readonly tables: readonly BackupTable[]
  /** Foreign keys that no order of the tables satisfies: self-references and cycles. */
  readonly circular: readonly ForeignKey[]
}

/** Not part of a backup: a restore goes into a migrated database, which has its own record and setup code. */
const NOT_DATA = ['schema_migrations', 'setup_codes']

export async function readCatalogue(client: pg.Client): Promise<BackupCatalogue> {
  const tables = await client.query<{ name: string; columns: BackupColumn[] }>(
    `select c.relname as name,
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [NOT_DATA],
  )
  const keys = await client.query<ForeignKey>(
    `select k.conname as name, k.conrelid::regclass::text as table, k.confrelid::regclass::text as target
     from pg_constraint k
     where k.connamespace = 'public'::regnamespace and k.contype = 'f' and k.conparentid = 0
     order by 1, 2`,
  )
  return inOrder(tables.rows, keys.rows)
}

export function inOrder(
  tables: readonly BackupTable[],
  keys: readonly ForeignKey[],
): BackupCatalogue {
  const placed = new Set<string>()
  const ordered: BackupTable[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const free = waiting.filter(({ name }) =>
      keys.every((key) => key.table !== name || key.target === name || placed.has(key.target)),
    )
    // In a cycle no table is free: take the first one, and check its keys at the end.
    const next = free.length > 0 ? free : waiting.slice(0, 1)
    ordered.push(...next)
    for (const { name } of next) placed.add(name)
    waiting = waiting.filter(({ name }) => !placed.has(name))
  }
  const position = new Map(ordered.map(({ name }, i) => [name, i]))
  const at = (name: string): number => position.get(name) ?? 0
  return { tables: ordered, circular: keys.filter((key) => at(key.target) >= at(key.table)) }
}
