import type { GraphQLError } from 'graphql/index.js'
import { refusal } from '../graphql-refusal.ts'

export interface DocumentLimits {
  /** Characters of a document's text. */
  readonly length: number
  /** Tokens, as the parser counts them. */
  readonly tokens: number
  /** Levels of nested fields. The introspection query of common tools has 15. */
  readonly depth: number
  /** Fields with an alias, fragments expanded. */
  readonly aliases: number
  /** Fields and fragment spreads, fragments expanded. */
  readonly fields: number
  /** Selections of one name at one place of the answer. Validation compares them pairwise. */
  readonly repeats: number
  /** Fragments at one place of the answer. Validation compares them pairwise. */
  readonly spreads: number
  /**
   * About the number of objects in an answer, plus ten for each SQL statement: estimated before,
   * and counted while the document is executed.
   */
  readonly cost: number
}

export const DEFAULT_LIMITS: DocumentLimits = {
  length: 50_000,
  tokens: 2_000,
  depth: 20,
  aliases: 60,
  fields: 1_000,
  repeats: 20,
  spreads: 60,
  cost: 50_000,
}

export function overLimit(
  limit: keyof DocumentLimits,
  maximum: number,
  advice: string,
): GraphQLError {
  return refusal(
    'limit_exceeded',
    `The document exceeds the limit of ${maximum} for its ${limit}. ${advice}`,
    {
      limit,
      maximum,
    },
  )
}
