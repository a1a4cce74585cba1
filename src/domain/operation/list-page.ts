import { z } from 'zod'
import { count } from './fields.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** How far a page counts. What a person asks of a long list is answered by "more than a thousand". */
export const MOST_SHOWN = 1000
/** One more, so that exactly a thousand can be told from more. */
export const COUNTED = MOST_SHOWN + 1

/** At most `COUNTED`, which means more than `MOST_SHOWN`; null if counting would take long. */
export const countOf = z.strictObject({ total: count.nullable() })

/** `title`, or `-title` for descending. */
export type SortName<K extends string> = K | `-${K}`

/** The members that the input of every list has. */
export type PageFields<K extends string> = ReturnType<typeof pageFields<K>>

export function pageFields<K extends string>(
  sorts: readonly SortName<K>[],
  defaultSort: SortName<K>,
) {
  return {
    limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
    after: z
      .string()
      .max(2000)
      .optional()
      .meta({ description: 'The value of `next` from the page before.' }),
    // TypeScript does not see that defaultSort is a value of this enum.
    sort: z.enum(sorts).default(defaultSort as never),
    include_total: z
      .boolean()
      .optional()
      .meta({ description: `Count the objects that match the filters, to ${COUNTED}.` }),
  }
}

/** The answer of every list. */
export type Page<S extends z.ZodObject> = ReturnType<typeof pageOf<S>>

export function pageOf<S extends z.ZodObject>(schema: S) {
  return z
    .strictObject({
      object: z.literal('list'),
      data: z.array(schema),
      has_more: z.boolean(),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Pass it as `after` to get the next page; null at the end.' }),
      total: count
        .max(COUNTED)
        .nullable()
        .optional()
        .meta({
          description: `${COUNTED} means more than ${MOST_SHOWN}; null if counting the matches of a search would take long.`,
        }),
    })
    .meta({ id: `${schema.meta()?.id}List` })
}
