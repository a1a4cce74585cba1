import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import type { ListOperation } from '../operation/list-operation.ts'
import type { Refusal } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import type { RowRules } from '../operation/row-rules.ts'
import type { Named, ReferenceColumn } from './reference-column.ts'

/** A column that an import takes. */
export interface BulkColumn {
  /** The wire type, without a default: a column that is left out stays as it is. */
  readonly schema: z.ZodType
  /** A new object needs it, unless a reference column fills it. */
  readonly needed?: boolean
  /** Set when the object is created, and never changed. */
  readonly fixed?: boolean
  /** The value of a new object if the row leaves it out; null without a default. */
  readonly default?: unknown
  /**
   * For a text: several headings of a file may be chosen for it, such as a first and a last name.
   */
  readonly joins?: true
  readonly note?: string
}

/** One row of a file. Its values are valid; the objects it refers to are not checked yet. */
export interface ImportRow {
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
}

export interface ObjectName {
  /** The columns that the name consists of. */
  readonly scheme: string
  readonly name: string
}

export type RowOutcome = 'created' | 'updated' | 'unchanged' | Refusal

/** A kind of object that can be exported, one object of the Admin API per row. */
export interface ExportKind {
  /** As in the REST API's addresses: `membership-plans`. */
  readonly name: string
  readonly about: string
  /** The exported object. */
  readonly of: Resource
  /** Its list, whose filters an export takes too. */
  readonly list?: ListOperation | undefined
  /** The members that name an object, and by which an export is ordered. */
  readonly key: readonly string[]
  /** Without a scope only the command line and the admin area read or write the kind. */
  readonly scopes: { readonly read?: string; readonly write?: string }
  /** Why the admin area does not import it: a person cannot create one there either. */
  readonly notInAdmin?: string | undefined
}

/** One that can be imported, too. */
export interface BulkKind extends ExportKind {
  /** The columns that name the object of a row, as a text for the docs. */
  readonly named: string
  /** The columns that an import reads; it ignores all other members of the object. */
  readonly columns: Readonly<Record<string, BulkColumn>>
  /** Columns that name a related object in another way, by the column with its id. */
  readonly instead?: Readonly<Record<string, readonly string[]>>
  /** The rules that compare values of a row; operations judge by the same. */
  readonly rules?: RowRules<never>
  /** A row that can be imported into a school that has the objects of `EXAMPLE`. */
  readonly example: Readonly<Record<string, unknown>>
  /**
   * The name of the object that a row is about. Rows of the same scheme with different names may be
   * written at the same time. Undefined if the row does not tell, or if rows depend on each other.
   */
  objectName?(values: ImportRow['values']): ObjectName | undefined
  /**
   * How many people wait for an invitation now. For kinds whose rows invite people, at schools that
   * invite.
   */
  readonly countInvited?: (tx: SchoolTx) => Promise<number | undefined>
  /**
   * Writes the rows and returns the outcome of each. Throws if a statement on all of them fails;
   * the caller then tries fewer rows at a time.
   */
  write(
    tx: SchoolTx,
    caller: Actor,
    rows: readonly ImportRow[],
    known: KnownNames,
  ): Promise<RowOutcome[]>
}

/** What reading and writing the cells of a column needs to know. */
export interface ColumnShape {
  readonly type: 'text' | 'integer' | 'boolean' | 'time' | 'json'
  readonly nullable: boolean
  readonly uuid: boolean
}

const shapes = new WeakMap<z.ZodType, ColumnShape>()

export function shapeOf(schema: z.ZodType | undefined): ColumnShape {
  if (schema === undefined) return { type: 'text', nullable: false, uuid: false }
  const known = shapes.get(schema)
  if (known !== undefined) return known
  const shape = readShape(schema)
  shapes.set(schema, shape)
  return shape
}

interface Described {
  readonly type?: string
  readonly format?: string
  readonly anyOf?: readonly Described[]
}

function readShape(schema: z.ZodType): ColumnShape {
  const described = z.toJSONSchema(schema, { io: 'input' }) as Described
  const options = described.anyOf ?? [described]
  const [value = {}] = options.filter(({ type }) => type !== 'null')
  return {
    type: typeOf(value),
    nullable: options.some(({ type }) => type === 'null'),
    uuid: value.format === 'uuid',
  }
}

function typeOf({ type, format }: Described): ColumnShape['type'] {
  if (type === 'integer' || type === 'boolean') return type
  if (type === 'string') return format === 'date-time' ? 'time' : 'text'
  return 'json'
}

const MAX_NAMES = 50_000
const MAX_AGE_MS = 10_000

/**
 * Caches the people that reference columns found during one import: files name the same people many
 * times, and looking them up for every batch is a large part of the cost. Only hits are cached, and
 * they expire after some seconds, so that a long import sees changes made meanwhile.
 */
export class KnownNames {
  #lists = new Map<ReferenceColumn, Map<string, Named>>()
  #since = Date.now()

  async find(
    tx: SchoolTx,
    reference: ReferenceColumn,
    texts: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Named>> {
    if (!reference.lasting) return await reference.find(tx, [...texts])
    // A map that was returned stays valid when the cache expires: it is replaced, not cleared.
    const names = this.#namesOf(reference)
    const unknown = [...texts].filter((text) => !names.has(text))
    if (unknown.length > 0) {
      for (const [text, named] of await reference.find(tx, unknown)) names.set(text, named)
    }
    return names
  }

  #namesOf(reference: ReferenceColumn): Map<string, Named> {
    if (Date.now() - this.#since > MAX_AGE_MS) {
      this.#lists = new Map()
      this.#since = Date.now()
    }
    const known = this.#lists.get(reference)
    if (known !== undefined && known.size < MAX_NAMES) return known
    const names = new Map<string, Named>()
    this.#lists.set(reference, names)
    return names
  }
}
