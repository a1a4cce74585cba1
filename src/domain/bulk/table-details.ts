import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import type { ListOperation } from '../operation/list-operation.ts'
import type { Refusal } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import type { RowRules } from '../operation/row-rules.ts'
import type { BulkColumn, BulkKind, RowOutcome } from './kind.ts'
import type { ReferenceColumn } from './reference-column.ts'

type Values = Record<string, unknown>

/** A row during an import: its values, the object before it, and its outcome. */
export interface StartedRow {
  /** Has every member of the kind; undefined if the row leaves it out. */
  readonly values: Values
  /** Ids of people who were found by email and hold a role here. */
  readonly members: ReadonlySet<string>
  before: Readonly<Values> | undefined
  outcome: RowOutcome | undefined
}

/** A row that was judged by itself; `inspect` compares it with other rows and tables. */
export type PlannedRow = StartedRow & { outcome: 'created' | 'updated' | 'unchanged' | Refusal }

/** A member that is a list, stored as rows of another table. */
export interface ChildList {
  readonly table: TenantTable
  /** The column with the id of the object. */
  readonly owner: string
  readonly columns: readonly string[]
  rows(value: never, object: Readonly<Record<string, unknown>>): Record<string, unknown>[]
}

export interface TableKindDetails {
  readonly name: string
  readonly about: string
  readonly of: Resource
  readonly list?: ListOperation
  readonly scopes: BulkKind['scopes']
  readonly notInAdmin?: BulkKind['notInAdmin']
  readonly example: BulkKind['example']
  readonly table: TenantTable
  /** The members that identify an object without an id. */
  readonly key?: readonly string[]
  /**
   * The members that identify an object if a row has no id. Without them rows need an external_id.
   */
  readonly natural?: readonly string[]
  /**
   * What identifies an object, in words for the docs, if the names of the members are not clear
   * enough.
   */
  readonly named?: string
  /**
   * The identifying members in the order of a unique index, for tables with other indexes that
   * begin with some of them: PostgreSQL could choose one of those and read thousands of rows for
   * one.
   */
  readonly seek?: readonly string[]
  readonly columns: Readonly<Record<string, BulkColumn>>
  /** The column of a member, if it has another name. */
  readonly stored?: Readonly<Record<string, string>>
  /** The PostgreSQL type of columns that are text in a file but not in the table. */
  readonly types?: Readonly<Record<string, 'time'>>
  /** Columns that the table does not have; `inspect` and `confirm` handle them. */
  readonly elsewhere?: readonly string[]
  /** Columns that follow from others; `locate` fills those of the key, `inspect` all others. */
  readonly derived?: readonly string[]
  /** Times that default to now. */
  readonly now?: readonly string[]
  /** Writing a row never depends on another row of the kind. */
  readonly independent?: boolean
  readonly references?: Readonly<Record<string, ReferenceColumn>>
  readonly lists?: Readonly<Record<string, ChildList>>
  /** Defaults of new objects that depend on the school. */
  defaults?(tx: SchoolTx): Promise<Record<string, unknown>>
  /** Fills in members of the key that rows leave out. */
  locate?(tx: SchoolTx, rows: readonly StartedRow[]): Promise<void>
  /** Fills in what follows from the other values of a row, or from the school's defaults. */
  complete?(row: StartedRow, caller: Actor, defaults: Readonly<Values>): void
  /** The rules that a created or updated object must keep; operations judge by the same. */
  readonly rules?: RowRules<never>
  /**
   * Checks rows against other tables before they are written: completes or refuses them, or throws.
   */
  inspect?(tx: SchoolTx, rows: readonly PlannedRow[], caller: Actor): Promise<void>
  /** Throws if the written rows break a rule that compares them with other rows. */
  confirm?(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void>
}

/** With the default of `key` filled in. */
export type KeyedDetails = TableKindDetails & { readonly key: readonly string[] }

type Options = Omit<BulkColumn, 'schema'>

/**
 * Columns with the fields of a new object, so that imports and operations accept the same values
 * and give a new object the same ones. A column that a row leaves out stays unchanged, so a default
 * is no part of its schema.
 */
export function columnsOf(
  fields: z.ZodRawShape,
  options: Readonly<Record<string, Options>> = {},
): Record<string, BulkColumn> {
  const unknown = Object.keys(options).find((name) => !(name in fields))
  if (unknown !== undefined) throw new Error(`there is no field ${unknown}`)
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      { ...columnOf(schema as z.ZodType), ...options[name] },
    ]),
  )
}

function columnOf(schema: z.ZodType): BulkColumn {
  if (schema instanceof z.ZodOptional) return { schema: schema.unwrap() as z.ZodType }
  if (!(schema instanceof z.ZodDefault)) return { schema, needed: true }
  const value = schema.def.defaultValue
  return { schema: schema.unwrap() as z.ZodType, ...(value === null ? {} : { default: value }) }
}

/**
 * Sorts a list without order and removes repeated values, so that it compares equal to the stored
 * one.
 */
export function inAnyOrder(values: Record<string, unknown>, column: string): void {
  const list = values[column]
  if (Array.isArray(list)) values[column] = [...new Set(list)].sort()
}

/**
 * Sets the time that belongs to a state to now, unless the row or the object has one; clears it in
 * other states.
 */
export function stampState(row: StartedRow, states: readonly string[], column: string): void {
  const { values, before } = row
  const state = String(values.state ?? before?.state)
  if (states.includes(state)) {
    if ((values[column] ?? before?.[column]) == null) values[column] = new Date().toISOString()
  } else if (values[column] === undefined && before?.[column] != null) {
    values[column] = null
  }
}

/**
 * Refuses rows that name people who are no members here, or lack the role. Those whom the object
 * had before may stay.
 */
export async function requireMembers(
  tx: SchoolTx,
  rows: readonly PlannedRow[],
  column: string,
  role?: 'lecturer',
): Promise<void> {
  const fresh = rows.flatMap((row) => {
    const added = addedTo(row, column).filter((id) => role !== undefined || !row.members.has(id))
    return added.length === 0 ? [] : [{ row, added }]
  })
  if (fresh.length === 0) return
  const ids = `{${[...new Set(fresh.flatMap(({ added }) => added))].join()}}`
  const { rows: members } = await tx.run(sql<{ user_id: string }>`
    select user_id from school_members
    where school_id = ${tx.schoolId} and user_id = any(${ids}::uuid[])
      and case when ${role ?? null}::text is null then roles <> '{}' else ${role ?? null}::text = any(roles) end`)
  const known = new Set(members.map(({ user_id }) => user_id))
  for (const { row, added } of fresh) {
    if (added.some((id) => !known.has(id))) row.outcome = noMember(column, role)
  }
}

const NONE: readonly string[] = []

function addedTo({ outcome, values, before }: PlannedRow, column: string): readonly string[] {
  const named = values[column]
  const had = before?.[column]
  if ((outcome !== 'created' && outcome !== 'updated') || named == null || named === had)
    return NONE
  if (!Array.isArray(named)) return [String(named)]
  const kept = new Set(Array.isArray(had) ? had : NONE)
  return named.map(String).filter((id) => !kept.has(id))
}

function noMember(column: string, role: string | undefined): Refusal {
  const detail =
    role === undefined
      ? 'This person is not a member of this school. Add them first.'
      : `This member does not hold the ${role} role here. Give it to them first.`
  return {
    kind: 'invalid',
    problems: [{ pointer: `/${column}`, code: 'unknown_reference', detail }],
  }
}
