import { sql } from 'kysely'
import { z } from 'zod'
import { keepsText } from '../content/rendered-texts.ts'
import {
  amount,
  count,
  currencyOrOwn,
  id,
  line,
  markdown,
  slug,
  stamps,
  valueFields,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { schoolCurrency } from '../schools/school.ts'

const STATES = ['draft', 'published', 'archived'] as const

export const productFields = {
  slug,
  title: line(300),
  description: markdown().default(''),
  price_amount: amount.default(0),
  currency: currencyOrOwn,
  file_id: id.nullable().meta({ description: 'What buyers download.' }).default(null),
}

const productSchema = z
  .strictObject({
    object: z.literal('digital_product'),
    id,
    ...valueFields(productFields),
    description: writtenMarkdown,
    state: z.enum(STATES),
    owner_count: count.meta({ description: 'How many members may download it.' }),
    ...stamps,
  })
  .meta({ id: 'DigitalProduct' })

export const products: Resource<typeof productSchema> = {
  object: 'digital_product',
  restPath: '/digital-products/{id}',
  schema: productSchema,
  rows: (db) => sql`
    select p.id, p.slug, p.title, p.description, p.price_amount, p.currency, p.file_id, p.state,
      p.owner_count,
      p.created_at, p.updated_at, p.version
    from digital_products p where p.school_id = ${db.schoolId}`,
}

const ops = objectOperations({
  of: products,
  table: 'digital_products',
  one: 'a digital product',
  example: EXAMPLE.product,
  fields: productFields,
  wrote: keepsText('description'),
})

export const listProducts = listOperation({
  ...ops.listed,
  summary: 'Downloads that the school sells, in every state.',
  filters: {
    state: filter(z.enum(STATES), (state) => sql`r.state = ${state}`),
    slug: filter(slug, (value) => sql`r.slug = ${value}`),
    search: searchIn('title', 'slug'),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', title: 'text', price_amount: 'number' },
  defaultSort: '-created_at',
})

export const readProduct = ops.read({
  examples: [{ title: 'A product', input: { id: EXAMPLE.product } }],
})

export const createProduct = ops.create({
  summary: 'Creates a draft. Members can buy it once it is published.',
  examples: [
    { title: 'A workbook', input: { slug: 'workbook', title: 'Workbook', price_amount: 900 } },
  ],
  create: async (tx, _caller, { currency: given, ...columns }) =>
    ops.insert(tx, { ...columns, currency: given ?? (await schoolCurrency(tx)) }),
})

export const changeProduct = ops.change({
  examples: [{ title: 'Another price', input: { id: EXAMPLE.product, price_amount: 700 } }],
})

export const publishProduct = ops.move('publish', {
  summary: 'Puts it on sale.',
  to: { state: 'published' },
})

export const archiveProduct = ops.move('archive', {
  summary: 'Takes it off sale. Members who have it keep it.',
  to: { state: 'archived' },
})

export const removeProduct = ops.remove({
  summary: 'Removes a product that no member ever had. Archive all others.',
  examples: [{ title: 'Remove a product', input: { id: EXAMPLE.unownedProduct } }],
  keptBy: [
    {
      table: 'digital_product_accesses',
      column: 'product_id',
      detail: 'Members have or had this product. Archive it instead.',
    },
    {
      table: 'order_items',
      column: 'digital_product_id',
      detail: 'This product was bought. Archive it instead.',
    },
  ],
})

export const productOperations = {
  list: listProducts,
  read: readProduct,
  create: createProduct,
  change: changeProduct,
  publish: publishProduct,
  archive: archiveProduct,
  remove: removeProduct,
}
