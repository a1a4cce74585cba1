import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { ListOperation } from '../operation/list-operation.ts'
import type { Refusal } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import type { BulkColumn, BulkKind, RowOutcome } from './kind.ts'
import type { StandIn } from './stand-in.ts'

type Values = Record<string, unknown>

/** A row on its way: what it says, what there was, and what becomes of it. */
export interface StartedRow {
  /** Every member that it can have; undefined where the row says nothing. */
  readonly values: Values
  /** Who is known to hold a role here, because rows of the batch named them by their email. */
  readonly members: ReadonlySet<string>
  before: Readonly<Values> | undefined
  outcome: RowOutcome | undefined
}

/** A row that can be written, as far as it can be told by looking at it alone. */
export type PlannedRow = StartedRow & { outcome: 'created' | 'updated' | 'unchanged' | Refusal }

/** Rows of another table that an object shows as a list. */
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
  readonly example: BulkKind['example']
  readonly table: TenantTable
  /** The members that name an object, if it has no id of its own. */
  readonly key?: readonly string[]
  /** The members that name an object where a row has no id. Without them rows need an external_id. */
  readonly natural?: readonly string[]
  /** The same in words, where the members alone do not say it. */
  readonly named?: string
  /**
   * The members that name an object, in the order of a unique index, where other indexes begin with
   * some of them: PostgreSQL would take any of these, and read thousands of rows for one.
   */
  readonly seek?: readonly string[]
  readonly columns: Readonly<Record<string, BulkColumn>>
  /** What members are called in the table, where it calls them something else. */
  readonly stored?: Readonly<Record<string, string>>
  /** What PostgreSQL calls the type of columns that are plain text in a file and not in the table. */
  readonly types?: Readonly<Record<string, 'time'>>
  /** Columns that the table does not have; `inspect` and `confirm` see to them. */
  readonly elsewhere?: readonly string[]
  /** Columns of the table that follow from others; `inspect` fills them, or `locate` those of the key. */
  readonly derived?: readonly string[]
  /** Times that are now unless a row says otherwise. */
  readonly now?: readonly string[]
  /** Writing a row has to do with no other row of the kind. */
  readonly apart?: boolean
  readonly standIns?: Readonly<Record<string, StandIn>>
  readonly lists?: Readonly<Record<string, ChildList>>
  /** Further values of new objects that only the school knows. */
  defaults?(tx: SchoolTx): Promise<Record<string, unknown>>
  /** Fills in what the key of an object has and its rows do not say. */
  locate?(tx: SchoolTx, rows: readonly StartedRow[]): Promise<void>
  /** Completes a row, and refuses it by throwing where its values contradict the object as it is. */
  settle?(row: StartedRow, caller: Actor): void
  /** Looks at rows before they are written: completes them, refuses single ones, or throws. */
  inspect?(tx: SchoolTx, rows: readonly PlannedRow[], caller: Actor): Promise<void>
  /** Throws where what was written breaks a rule that needs other rows. */
  confirm?(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void>
}

/** With the members that name an object spelled out. */
export type KeyedDetails = TableKindDetails & { readonly key: readonly string[] }
