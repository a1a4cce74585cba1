import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
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
  /** The members that identify an object if a row has no id. Without them rows need an external_id. */
  readonly natural?: readonly string[]
  /** The same as a text for the docs, if the names of the members are not clear enough. */
  readonly named?: string
  /**
   * The identifying members in the order of a unique index, for tables with other indexes that begin
   * with some of them: PostgreSQL could choose one of those and read thousands of rows for one.
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
  /** Checks rows against other tables before they are written: completes or refuses them, or throws. */
  inspect?(tx: SchoolTx, rows: readonly PlannedRow[], caller: Actor): Promise<void>
  /** Throws if the written rows break a rule that compares them with other rows. */
  confirm?(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void>
}

/** With the default of `key` filled in. */
export type KeyedDetails = TableKindDetails & { readonly key: readonly string[] }
