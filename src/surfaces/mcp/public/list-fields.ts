import { z } from 'zod'
import { pageInput } from '../paging.ts'
import { words } from '../wire-values.ts'

/** What every list of the catalogue takes. */
export const listInput = {
  search: words(200).default('').describe('only those in which every one of these words occurs'),
  ...pageInput,
}

/** What every item of the catalogue has. */
export const itemFields = {
  id: z.string().describe('what the tool fetch takes'),
  slug: z.string(),
  url: z.string().describe('where people see it'),
  restUrl: z.string().describe('the same object in the REST API, for operators'),
}
