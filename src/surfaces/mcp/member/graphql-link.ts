import { z } from 'zod'
import type { School } from '../../../domain/schools/school.ts'

/** Where a program reads what a member's tool shows. */
export const graphqlLink = z
  .object({ url: z.string(), query: z.string() })
  .describe('the same in the Member API: POST this query with the same token')

export function linkTo(school: School, query: string): z.input<typeof graphqlLink> {
  return { url: `${school.origin}/member/graphql`, query }
}
