import type pg from 'pg'

interface Table {
  readonly name: string
  readonly comment: string | null
  readonly options: string | null
}

export interface Column {
  readonly table: string
  readonly name: string
  readonly position: number
  readonly type: string
  readonly nullable: boolean
  readonly fallback: string | null
  readonly comment: string | null
}

interface Definition {
  readonly table: string
  readonly name: string
  readonly definition: string
}

interface RoutineDefinition {
  readonly name: string
  readonly definition: string
  readonly comment: string | null
}

/** Everything that our migrations make, as PostgreSQL describes it. */
export interface Catalogue {
  readonly tables: readonly Table[]
  readonly columns: readonly Column[]
  readonly constraints: readonly Definition[]
  readonly indexes: readonly Definition[]
  readonly statistics: readonly Definition[]
  readonly triggers: readonly Definition[]
  readonly functions: readonly RoutineDefinition[]
}

/** Not what an extension brought that the operator installed. */
const OURS = `not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')`

/**
 * Reads the catalogue of one schema, without settings of autovacuum, which belong to the operator.
 *
 * Definitions read the same on PostgreSQL 15 to 18 and name the schema `public`, whichever it is:
 * two schemas can be compared. The schema must be alone in the search path, otherwise PostgreSQL
 * writes some names with their schema and others without.
 */
export async function readCatalogue(client: pg.Client, schema: string): Promise<Catalogue> {
  const rows = async <R extends object>(sql: string): Promise<R[]> =>
    (await client.query<R>(sql, [schema])).rows.map((row) => namedPublic(row, schema))
  return {
    tables: await rows<Table>(`
      select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
        (select string_agg(o, ', ' order by o) from unnest(c.reloptions) o
          where o not like 'autovacuum_%') as options
      from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r' and ${OURS} order by 1`),
    columns: await rows<Column>(`
      select c.relname as table, a.attname as name,
        row_number() over (partition by c.oid order by a.attnum)::int as position,
        format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
        pg_get_expr(d.adbin, d.adrelid) as fallback, col_description(c.oid, a.attnum) as comment
      from pg_attribute a join pg_class c on c.oid = a.attrelid
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = $1::regnamespace and c.relkind = 'r' and ${OURS} and a.attnum > 0
        and not a.attisdropped
      order by c.relname, a.attnum`),
    // Not the not-null constraints: only PostgreSQL 18 lists them here, and columns tell the same.
    constraints: await rows<Definition>(`
      select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid
      where c.relnamespace = $1::regnamespace and ${OURS} and k.contype in ('p', 'u', 'f', 'c')
      order by 1, position(k.contype::text in 'pufc'), 2`),
    indexes: await rows<Definition>(`
      select c.relname as table, n.relname as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
      where c.relnamespace = $1::regnamespace and ${OURS}
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
      order by 1, 2`),
    statistics: await rows<Definition>(`
      select c.relname as table, s.stxname as name, pg_get_statisticsobjdef(s.oid) as definition
      from pg_statistic_ext s join pg_class c on c.oid = s.stxrelid
      where c.relnamespace = $1::regnamespace order by 1, 2`),
    triggers: await rows<Definition>(`
      select c.relname as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = $1::regnamespace and not t.tgisinternal order by 1, 2`),
    functions: await rows<RoutineDefinition>(`
      select p.proname as name, trim(pg_get_functiondef(p.oid), e'\\n') as definition,
        obj_description(p.oid, 'pg_proc') as comment
      from pg_proc p
      where p.pronamespace = $1::regnamespace
        and not exists (select from pg_depend e where e.objid = p.oid and e.deptype = 'e')
      order by 1`),
  }
}

function namedPublic<R extends object>(row: R, schema: string): R {
  if (!('definition' in row) || typeof row.definition !== 'string') return row
  return { ...row, definition: row.definition.replaceAll(`${schema}.`, 'public.') }
}
