import pg from 'pg'
import type { BackupTable } from './backup-tables.ts'

interface Part {
  readonly kind: 'foreign key' | 'constraint' | 'index'
  readonly table: string
  readonly name: string
  /** As PostgreSQL writes it: the whole statement for an index, what follows the name for a constraint. */
  readonly definition: string
}

/**
 * Takes the indexes and keys off all tables and returns how to put them back. To build an index once costs less than to
 * keep it while rows come, and a foreign key compares two tables at once instead of looking up each row. Putting back
 * fails if a row breaks a key. A check or a `not null` stays: it costs little.
 */
export async function putAside(
  client: pg.Client,
  tables: readonly BackupTable[],
): Promise<() => Promise<void>> {
  const parts = await readParts(client, tables)
  const foreign = parts.filter(({ kind }) => kind === 'foreign key')
  const own = parts.filter(({ kind }) => kind !== 'foreign key')
  // A foreign key needs the unique key that it refers to.
  await client.query([...foreign, ...own].map(dropping).join(';'))
  return async () => {
    await client.query([...own, ...foreign].map(adding).join(';'))
  }
}

function dropping({ kind, table, name }: Part): string {
  if (kind === 'index') return `drop index ${pg.escapeIdentifier(name)}`
  return `alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`
}

function adding({ kind, table, name, definition }: Part): string {
  if (kind === 'index') return definition
  return `alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`
}

/**
 * In the order in which they were made: of two indexes that serve a statement equally well, the planner takes by their
 * order. Two kinds of indexes stay: one that is not valid, which a server will make anew, and one with a list in its
 * condition, which PostgreSQL writes in another form than it reads.
 */
async function readParts(
  client: pg.Client,
  tables: readonly BackupTable[],
): Promise<readonly Part[]> {
  const { rows } = await client.query<Part>(
    `select case k.contype when 'f' then 'foreign key' else 'constraint' end as kind,
       k.conrelid::regclass::text as table, k.conname as name, pg_get_constraintdef(k.oid) as definition, k.oid as made
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and k.contype in ('f', 'p', 'u', 'x')
     union all
     select 'index', c.oid::regclass::text, n.relname, pg_get_indexdef(n.oid), n.oid
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and i.indisvalid
       and coalesce(pg_get_expr(i.indpred, i.indrelid), '') not like '%ARRAY[%'
       and not exists (select from pg_constraint k where k.conindid = n.oid and k.contype in ('p', 'u', 'x'))
     order by made`,
    [tables.map(({ name }) => name)],
  )
  return rows
}
