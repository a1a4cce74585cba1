import type pg from 'pg'
import {
  type Catalogue,
  type Column,
  readCatalogue,
} from '../src/foundation/db/migration/catalogue.ts'

/** The two files that are made from the migrated database: the dump and the row types. */
export async function describeSchema(client: pg.Client): Promise<{ dump: string; rows: string }> {
  const catalogue = await readCatalogue(client, 'public')
  return { dump: dumpText(catalogue), rows: rowTypesText(catalogue) }
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
      (entry) => `  constraint ${entry.name} ${entry.definition}`,
    )
    const options = table.options ? ` with (${table.options})` : ''
    return [
      `-- ${table.comment ?? ''}`,
      `create table ${table.name} (\n${[...columns, ...constraints].join(',\n')}\n)${options};`,
      ...[catalogue.indexes, catalogue.statistics, catalogue.triggers]
        .flatMap((list) => of(list, table.name))
        .map((entry) => `${entry.definition};`),
      ...of(catalogue.columns, table.name)
        .filter((column) => column.comment !== null)
        .map((column) => `-- ${table.name}.${column.name}: ${column.comment}`),
    ].join('\n')
  })
  const head =
    '-- The schema after all migrations, read back from PostgreSQL. `npm run schema` rewrites it.'
  const functions = catalogue.functions.map(
    ({ definition, comment }) => `${comment === null ? '' : `-- ${comment}\n`}${definition};`,
  )
  return `${[head, ...functions, ...tables].join('\n\n')}\n`
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

/** JSON is read as unknown (the reader parses it) and written as text. */
function jsonType(column: Column): string {
  const text = column.nullable ? 'string | null' : 'string'
  const optional = column.nullable || column.fallback !== null ? `${text} | undefined` : text
  return `ColumnType<unknown, ${optional}, ${text}>`
}

/** A column with a check against a list of words gets the union of these words as its type. */
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
