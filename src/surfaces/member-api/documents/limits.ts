import type { GraphQLError } from 'graphql/index.js'
import { refusal } from '../refusal.ts'

export interface DocumentLimits {
  /** Characters of a document's text. */
  readonly length: number
  /** Words and signs, as the parser counts them. */
  readonly tokens: number
  /** Levels of fields. Introspection as tools send it takes 15. */
  readonly depth: number
  /** Fields under another name, fragments expanded. */
  readonly aliases: number
  /** Fields and fragment spreads, fragments expanded. */
  readonly fields: number
  /** Selections of one name in one place of the answer, which validation compares pairwise. */
  readonly repeats: number
  /** Roughly the objects that an answer may hold, and ten for each statement it takes. */
  readonly cost: number
}

export const DEFAULT_LIMITS: DocumentLimits = {
  length: 50_000,
  tokens: 2_000,
  depth: 20,
  aliases: 60,
  fields: 1_000,
  repeats: 20,
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
