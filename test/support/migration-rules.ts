import type pg from 'pg'
import type { Migration } from '../../src/foundation/db/migration/migrations.ts'

/**
 * What a migration may not do, because the version before still serves and the tables may be large.
 */
export const RULES = {
  'own-transaction': 'ends the transaction of the runner, so that a failure leaves half of it',
  'lock-timeout': 'changes lock_timeout, so that requests wait behind it',
  'drops-table': 'drops or renames a table',
  'drops-column': 'drops or renames a column',
  'drops-index': 'drops an index that statements of the version before may need',
  'drops-function': 'drops a function',
  'changes-type': 'changes the type of a column',
  'rewrites-table': 'writes a table anew while all requests wait',
  'requires-column': 'requires a value that the version before does not write',
  'adds-constraint': 'refuses rows that the version before writes',
  'validates-constraint':
    'reads a whole table under a lock: add it NOT VALID, validate it in a later migration',
  'builds-index': 'builds an index while writes wait: use a .background.sql file',
  'changes-rows': 'changes rows of a table in the transaction of the start',
} as const

export type Rule = keyof typeof RULES

export interface Violation {
  readonly rule: Rule
  /** A table, or `table.column`, `table.constraint`, an index or a function. */
  readonly of: string
}

interface Shape {
  readonly tables: ReadonlyMap<string, string>
  readonly columns: ReadonlyMap<string, Column>
  readonly indexes: ReadonlyMap<string, string>
  readonly functions: ReadonlySet<string>
  readonly constraints: ReadonlyMap<string, Constraint>
}

interface Column {
  readonly table: string
  readonly type: string
  readonly isRequired: boolean
  readonly hasDefault: boolean
}

interface Constraint {
  readonly table: string
  readonly definition: string
  readonly isValid: boolean
  readonly kind: string
  readonly columns: readonly string[]
}

const LOCK_TIMEOUT = '2s'

/**
 * Applies a migration as the runner does, in a transaction that is rolled back, and compares the
 * catalogues.
 */
export async function findViolations(client: pg.Client, sql: string): Promise<Violation[]> {
  await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`)
  try {
    const before = await readShape(client)
    const transaction = await transactionOf(client)
    await client.query(sql)
    if ((await transactionOf(client)) !== transaction) return [{ rule: 'own-transaction', of: '' }]
    const written = await writtenTables(client)
    const after = await readShape(client)
    return [
      ...(await timeoutChanges(client)),
      ...lostObjects(before, after),
      ...columnChanges(before, after),
      ...constraintChanges(before, after),
      ...[...after.indexes]
        .filter(([name, table]) => !before.indexes.has(name) && before.tables.has(table))
        .map(([of]): Violation => ({ rule: 'builds-index', of })),
      ...written
        .filter((table) => before.tables.has(table))
        .map((of): Violation => ({ rule: 'changes-rows', of })),
    ]
  } finally {
    await client.query('rollback')
  }
}

const ALLOWANCE = /^-- allow ([a-z-]+) (\S+): (.{20,})$/gm

/**
 * Violations without a line `-- allow RULE OBJECT: reason` in the file, and such lines without a
 * violation.
 */
export async function judgeMigration(
  client: pg.Client,
  { name, sql }: Pick<Migration, 'name' | 'sql'>,
): Promise<string[]> {
  const allowed = [...sql.matchAll(ALLOWANCE)].map(([, rule, of]) => `${rule} ${of}`)
  const found = await findViolations(client, sql)
  const keyOf = ({ rule, of }: Violation) => `${rule} ${of}`
  return [
    ...found
      .filter((violation) => !allowed.includes(keyOf(violation)))
      .map((violation) => `${name}: ${keyOf(violation)}: it ${RULES[violation.rule]}`),
    ...allowed
      .filter((line) => !found.some((violation) => keyOf(violation) === line))
      .map((line) => `${name}: "allow ${line}" is not needed`),
  ]
}

async function transactionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id')
  return rows[0]?.id ?? ''
}

async function timeoutChanges(client: pg.Client): Promise<Violation[]> {
  const { rows } = await client.query<{ value: string }>(
    "select current_setting('lock_timeout') as value",
  )
  return rows[0]?.value === LOCK_TIMEOUT ? [] : [{ rule: 'lock-timeout', of: 'lock_timeout' }]
}

/** By the locks of the transaction: an UPDATE takes its lock also if it finds no row. */
async function writtenTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
     where l.pid = pg_backend_pid() and l.mode = 'RowExclusiveLock' and c.relkind = 'r'
       and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ name }) => name)
}

function lostObjects(before: Shape, after: Shape): Violation[] {
  const lost = (rule: Rule, old: Iterable<string>, now: { has(name: string): boolean }) =>
    [...old].filter((name) => !now.has(name)).map((of): Violation => ({ rule, of }))
  return [
    ...lost('drops-table', before.tables.keys(), after.tables),
    ...lost('drops-column', before.columns.keys(), after.columns),
    ...lost('drops-index', before.indexes.keys(), after.indexes),
    ...lost('drops-function', before.functions, after.functions),
    ...[...before.tables]
      .filter(([name, file]) => after.tables.has(name) && after.tables.get(name) !== file)
      .map(([of]): Violation => ({ rule: 'rewrites-table', of })),
  ]
}

function columnChanges(before: Shape, after: Shape): Violation[] {
  return [...after.columns].flatMap(([of, column]): Violation[] => {
    if (!before.tables.has(column.table)) return []
    const old = before.columns.get(of)
    const changesType = old !== undefined && old.type !== column.type
    const wasFree = old === undefined || !old.isRequired || old.hasDefault
    const isNewDemand =
      column.isRequired &&
      wasFree &&
      (old === undefined || old.isRequired ? !column.hasDefault : true)
    return [
      ...(changesType ? [{ rule: 'changes-type', of } as const] : []),
      ...(isNewDemand ? [{ rule: 'requires-column', of } as const] : []),
    ]
  })
}

function constraintChanges(before: Shape, after: Shape): Violation[] {
  return [...after.constraints].flatMap(([of, constraint]): Violation[] => {
    const { table, columns, kind, definition, isValid } = constraint
    if (!before.tables.has(table)) return []
    const old = before.constraints.get(of)
    if (old !== undefined && withoutValidity(old.definition) === withoutValidity(definition))
      return []
    // The version before leaves new columns empty: a reference from them holds, and PostgreSQL
    // knows that unread.
    const isReferenceOfNew =
      kind === 'f' &&
      columns.every((name) => {
        const column = after.columns.get(`${table}.${name}`)
        return !before.columns.has(`${table}.${name}`) && !column?.isRequired && !column?.hasDefault
      })
    if (isReferenceOfNew) return []
    return [
      { rule: 'adds-constraint', of },
      ...(isValid ? [{ rule: 'validates-constraint', of } as const] : []),
    ]
  })
}

const withoutValidity = (definition: string): string => definition.replace(/ NOT VALID$/, '')

async function readShape(client: pg.Client): Promise<Shape> {
  const rows = async <R extends object>(sql: string): Promise<(R & { name: string })[]> =>
    (await client.query<R & { name: string }>(sql)).rows
  const ours = `c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
  const tables = await rows<{ file: string }>(
    `select c.relname as name, pg_relation_filenode(c.oid)::text as file from pg_class c where ${ours}`,
  )
  const columns = await rows<Column>(
    `select c.relname as table, c.relname || '.' || a.attname as name, a.attnotnull as "isRequired",
       format_type(a.atttypid, a.atttypmod) as type, (a.atthasdef or a.attidentity <> '') as "hasDefault"
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where ${ours} and a.attnum > 0 and not a.attisdropped`,
  )
  const indexes = await rows<{ table: string }>(
    `select n.relname as name, c.relname as table from pg_index i
       join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid where ${ours}`,
  )
  const functions = await rows(
    `select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  )
  const constraints = await rows<Constraint>(
    `select c.relname as table, c.relname || '.' || k.conname as name, k.convalidated as "isValid", k.contype::text as kind,
       pg_get_constraintdef(k.oid) as definition,
       array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any (k.conkey)) as columns
     from pg_constraint k join pg_class c on c.oid = k.conrelid where ${ours} and k.contype in ('p', 'u', 'f', 'c', 'x')`,
  )
  return {
    tables: new Map(tables.map(({ name, file }) => [name, file])),
    columns: new Map(columns.map((column) => [column.name, column])),
    indexes: new Map(indexes.map(({ name, table }) => [name, table])),
    functions: new Set(functions.map(({ name }) => name)),
    constraints: new Map(constraints.map((constraint) => [constraint.name, constraint])),
  }
}
