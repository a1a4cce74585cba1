import type { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { ListOperation } from '../operation/list-operation.ts'
import type { Refusal } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import type { KnownNames } from './known-names.ts'

/** A column that an import takes. */
export interface BulkColumn {
  /** The wire type, without a default: a column that is left out stays as it is. */
  readonly schema: z.ZodType
  /** A new object cannot be made without it, unless another column stands in for it. */
  readonly needed?: boolean
  /** A new object has it, and it never changes afterwards. */
  readonly fixed?: boolean
  /** What a new object gets if it is left out; null if there is none. */
  readonly default?: unknown
  readonly note?: string
}

/** One row of a file, checked by itself: what it says about others is not known to be true yet. */
export interface ImportRow {
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
}

export interface Claim {
  /** Which columns the name is made of. */
  readonly scheme: string
  readonly name: string
}

export type RowOutcome = 'created' | 'updated' | 'unchanged' | Refusal

/** What can be imported and exported in bulk: one object of the Admin API to a row. */
export interface BulkKind {
  /** As in the REST API's addresses: `membership-plans`. */
  readonly name: string
  readonly about: string
  /** What is exported. */
  readonly of: Resource
  /** Its list, whose filters an export takes too. */
  readonly list?: ListOperation | undefined
  /** The members that name an object, and by which an export is ordered. */
  readonly key: readonly string[]
  /** How a row says which object it is about, in words. */
  readonly named: string
  /** Without one, only the command line reads or writes it. */
  readonly scopes: { readonly read?: string; readonly write?: string }
  /** What an import takes; all other members of the object are passed over. */
  readonly columns: Readonly<Record<string, BulkColumn>>
  /** A row that can be imported as it is, given the objects that examples speak of. */
  readonly example: Readonly<Record<string, unknown>>
  /**
   * The name of the object that a row is about, where writing it has to do with no other row: rows of
   * the same scheme with other names may be written at the same time. Undefined where nobody can tell.
   */
  claim?(values: ImportRow['values']): Claim | undefined
  /**
   * Brings the objects into the state that the rows describe, and tells for each what became of it.
   * Throws where the rows fail together, as a statement on all of them does; whoever calls then
   * tries fewer at a time.
   */
  write(
    tx: SchoolTx,
    caller: Actor,
    rows: readonly ImportRow[],
    known: KnownNames,
  ): Promise<RowOutcome[]>
}
