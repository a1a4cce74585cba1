import { z } from 'zod'
import { publicPlans, publicProducts } from '../../../domain/commerce/public-offers.ts'
import { nextCursor, readPage } from '../paging.ts'
import { amount, currency, excerpt, inShape, publicTool, READS } from '../tool.ts'
import { itemFields, itemOf, listInput } from './links.ts'

const plan = z.object({
  ...itemFields,
  name: z.string(),
  excerpt: z.string(),
  interval: z.enum(['month', 'year']),
  priceAmount: amount,
  currency,
  courses: z.array(z.string()).describe('titles of the courses it opens, the first 100'),
})

export const listMembershipPlans = publicTool({
  name: 'list_membership_plans',
  title: 'List membership plans',
  description:
    'The membership plans on offer, what each costs and which courses it opens, newest first. Reads only.',
  annotations: READS,
  input: z.strictObject(listInput),
  output: z.object({ membershipPlans: z.array(plan), nextCursor }),
  run: async ({ db, school }, { search, ...page }) => {
    const found = await readPage('plans', page, (range) => publicPlans(db, search, range))
    const items = found.rows.map((row) =>
      inShape(plan, {
        ...row,
        ...itemOf(school, 'membership_plan', row),
        excerpt: excerpt(row.description),
        courses: row.courses.slice(0, 100),
      }),
    )
    return found.answer(items, (membershipPlans, nextCursor) => ({ membershipPlans, nextCursor }))
  },
})

const product = z.object({
  ...itemFields,
  title: z.string(),
  excerpt: z.string(),
  priceAmount: amount,
  currency,
})

export const listDigitalProducts = publicTool({
  name: 'list_digital_products',
  title: 'List digital products',
  description: 'The downloads that the school offers, with prices, newest first. Reads only.',
  annotations: READS,
  input: z.strictObject(listInput),
  output: z.object({ digitalProducts: z.array(product), nextCursor }),
  run: async ({ db, school }, { search, ...page }) => {
    const found = await readPage('products', page, (range) => publicProducts(db, search, range))
    const items = found.rows.map((row) =>
      inShape(product, {
        ...row,
        ...itemOf(school, 'digital_product', row),
        excerpt: excerpt(row.description),
      }),
    )
    return found.answer(items, (digitalProducts, nextCursor) => ({ digitalProducts, nextCursor }))
  },
})
