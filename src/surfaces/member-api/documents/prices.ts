import type { FieldNode } from 'graphql/index.js'

/**
 * What things cost, before and during execution, in objects: an object of the answer costs 1, and
 * what takes as long as some objects costs as many.
 */

/** One SQL statement of a connection, a count or a mutation. */
export const STATEMENT = 10

/** Each request, whatever it asks for: its token is checked. */
export const REQUEST = 10
const CHARACTERS_OF_A_BODY = 100

/**
 * To parse, measure and validate one takes as long as two objects, in the dearest documents that
 * pass the limits.
 */
const TOKEN = 2
const CHARACTERS_OF_A_DOCUMENT = 25

/** To compile a field takes longer than to parse and validate it. */
const COMPILED_FIELD = 5

/** An object with more selected fields costs more, or sixty aliases of a field would be free. */
const FIELDS_PER_OBJECT = 10
const CHARACTERS_OF_A_TEXT = 250

/**
 * How many fields of its objects each field of a document selects, those of plain objects in them
 * included.
 */
export type Sizes = ReadonlyMap<FieldNode, number>

/** Paid before the body is parsed. */
export function priceOfBody(length: number): number {
  return Math.floor(length / CHARACTERS_OF_A_BODY)
}

/** Paid for a document that is not known yet. */
export function priceOfDocument(tokens: number, length: number): number {
  return TOKEN * tokens + Math.floor(length / CHARACTERS_OF_A_DOCUMENT)
}

/** Paid by the request that compiles a document, which is the second one in each process. */
export function priceOfCompiling(fields: number): number {
  return COMPILED_FIELD * fields
}

/** To read so much of the schema takes a tenth of what it costs to answer it. */
export function priceOfReading(introspection: number): number {
  return Math.ceil(introspection / 10)
}

export function priceOfObject(fields: number): number {
  return Math.max(1, Math.ceil(fields / FIELDS_PER_OBJECT))
}

/** A text of ordinary length is a field like any other. */
export function priceOfText(length: number): number {
  return Math.floor(length / CHARACTERS_OF_A_TEXT)
}

/** Extensions of a field whose text can be long: it costs by its length. */
export const LONG_TEXT = { isLongText: true } as const

/** Extensions of a list field whose objects are made for each query: they are counted before. */
export function countedBefore<Source>(lengthOf: (source: Source) => number | Promise<number>): {
  readonly lengthOf: (source: Source) => number | Promise<number>
} {
  return { lengthOf }
}

/** Rows that were read for the nodes of a page, by node. */
export function rowsOf(groups: ReadonlyMap<string, readonly unknown[]>): number {
  let rows = 0
  for (const group of groups.values()) rows += group.length
  return rows
}
