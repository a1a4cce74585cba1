import type pg from 'pg'

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  fallback: string | null
  comment: string | null
}

interface Named {
  table: string
  definition: string
}

interface Table {
  name: string
  comment: string | null
  options: string | null
}

interface Catalogue {
  tables: readonly Table[]
  columns: readonly Column[]
  constraints: readonly Named[]
  indexes: readonly Named[]
  triggers: readonly Named[]
  functions: readonly string[]
}

/** Reads the migrated database back, as the two texts that are checked in: a dump and the row types. */
export async function describeSchema(client: pg.Client): Promise<{ dump: string; rows: string }> {
  const catalogue = await readCatalogue(client)
  return { dump: dumpText(catalogue), rows: rowTypesText(catalogue) }
}

async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const rows = async <R>(sql: string): Promise<R[]> => (await client.query(sql)).rows as R[]
  return {
    tables: await rows<Table>(`
      select c.relname as name, obj_description(c.oid) as comment, array_to_string(c.reloptions, ', ') as options
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`),
    columns: await rows<Column>(`
      select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
        not a.attnotnull as nullable, pg_get_expr(d.adbin, d.adrelid) as fallback,
        col_description(c.oid, a.attnum) as comment
      from pg_attribute a join pg_class c on c.oid = a.attrelid
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`),
    constraints: await rows<Named>(`
      select c.relname as table, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid
      where c.relnamespace = 'public'::regnamespace and k.contype in ('p', 'u', 'f', 'c')
      order by 1, position(k.contype::text in 'pufc'), 2`),
    indexes: await rows<Named>(`
      select c.relname as table, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i join pg_class c on c.oid = i.indrelid
      where c.relnamespace = 'public'::regnamespace
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
      order by 1, 2`),
    triggers: await rows<Named>(`
      select c.relname as table, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'public'::regnamespace and not t.tgisinternal order by 1, 2`),
    functions: (
      await rows<{ definition: string }>(`
        select pg_get_functiondef(p.oid) as definition from pg_proc p
        where p.pronamespace = 'public'::regnamespace order by p.proname`)
    ).map((row) => row.definition.trim()),
  }
}

function dumpText(catalogue: Catalogue): string {
  const of = <T extends { table: string }>(list: readonly T[], table: string): T[] =>
    list.filter((entry) => entry.table === table)
  const tables = catalogue.tables.map((table) => {
    const columns = of(catalogue.columns, table.name).map(
      (column) =>
        `  ${column.name} ${column.type}${column.nullable ? '' : ' not null'}${column.fallback === null ? '' : ` default ${column.fallback}`}`,
    )
    const constraints = of(catalogue.constraints, table.name).map(
      (entry) => `  ${entry.definition}`,
    )
    const options = table.options ? ` with (${table.options})` : ''
    return [
      `-- ${table.comment ?? ''}`,
      `create table ${table.name} (\n${[...columns, ...constraints].join(',\n')}\n)${options};`,
      ...of(catalogue.indexes, table.name).map((entry) => `${entry.definition};`),
      ...of(catalogue.triggers, table.name).map((entry) => `${entry.definition};`),
    ].join('\n')
  })
  const head =
    '-- The schema after every migration, read back from PostgreSQL. `npm run schema` rewrites it.'
  return `${[head, ...catalogue.functions.map((text) => `${text};`), ...tables].join('\n\n')}\n`
}

const TYPES: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  'character varying': 'string',
  boolean: 'boolean',
  integer: 'number',
  bigint: 'number',
  bytea: 'Buffer',
  date: 'string',
  'text[]': 'string[]',
  'timestamp(3) with time zone': 'Date',
  'time(0) without time zone': 'string',
}

function rowTypesText(catalogue: Catalogue): string {
  const tables = catalogue.tables.map((table) => {
    const columns = catalogue.columns
      .filter((column) => column.table === table.name)
      .map((column) => `  ${column.name}: ${columnType(catalogue, column)}`)
    return `/** ${table.comment ?? ''} */\nexport interface ${pascalCase(table.name)}Table {\n${columns.join('\n')}\n}`
  })
  const map = catalogue.tables.map((table) => `  ${table.name}: ${pascalCase(table.name)}Table`)
  return `${[
    '// Row types of the migrated database. `npm run schema` rewrites this file; a test compares it.',
    "import type { ColumnType, Generated } from 'kysely'",
    ...tables,
    `export interface DB {\n${map.join('\n')}\n}`,
  ].join('\n\n')}\n`
}

function columnType(catalogue: Catalogue, column: Column): string {
  if (column.type === 'jsonb') return jsonType(column)
  const base =
    literalUnion(catalogue, column) ??
    TYPES[column.type.replace(/^(character varying)\(\d+\)$/, '$1')]
  if (base === undefined)
    throw new Error(`No row type for ${column.table}.${column.name}: ${column.type}`)
  const type = column.nullable ? `${base} | null` : base
  return column.fallback === null || column.nullable ? type : `Generated<${type}>`
}

/** JSON is read as unknown, to be parsed, and written as text. */
function jsonType(column: Column): string {
  const text = column.nullable ? 'string | null' : 'string'
  const optional = column.nullable || column.fallback !== null ? `${text} | undefined` : text
  return `ColumnType<unknown, ${optional}, ${text}>`
}

/** A column checked against a list of words is a union of those words. */
function literalUnion(catalogue: Catalogue, column: Column): string | undefined {
  const prefix = `CHECK ((${column.name} = ANY (ARRAY[`
  const check = catalogue.constraints.find(
    (entry) => entry.table === column.table && entry.definition.startsWith(prefix),
  )
  const words = check?.definition.slice(prefix.length).match(/'[^']*'(?=::text)/g)
  return words?.join(' | ')
}

function pascalCase(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_all, _bar, letter: string) => letter.toUpperCase())
}
