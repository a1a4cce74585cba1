import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { keepRendered } from '../content/rendered-texts.ts'
import {
  amount,
  count,
  currency,
  id,
  line,
  markdown,
  slug,
  stamps,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { writing } from '../operation/writing.ts'
import { schoolCurrency } from '../schools/school.ts'

const READ = ['digital_products:read']
const WRITE = ['digital_products:write']
const STATES = ['draft', 'published', 'archived'] as const

export const productFields = {
  slug,
  title: line(300),
  description: markdown(),
  price_amount: amount,
  currency,
  file_id: id.nullable().meta({ description: 'What buyers download.' }),
}

const productSchema = z
  .strictObject({
    object: z.literal('digital_product'),
    id,
    ...productFields,
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

export const listProducts = listOperation({
  name: 'digital_products.list',
  title: 'List digital products',
  summary: 'Downloads that the school sells, in every state.',
  scopes: READ,
  of: products,
  filters: {
    state: filter(z.enum(STATES), (state) => sql`r.state = ${state}`),
    slug: filter(slug, (value) => sql`r.slug = ${value}`),
    search: searchIn('title', 'slug'),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', title: 'text', price_amount: 'number' },
  defaultSort: '-created_at',
})

export const readProduct = readOperation({
  name: 'digital_products.read',
  title: 'Read a digital product',
  summary: 'One digital product by its id.',
  scopes: READ,
  of: products,
  examples: [{ title: 'A product', input: { id: EXAMPLE.product } }],
})

export const createProduct = createOperation({
  name: 'digital_products.create',
  title: 'Create a digital product',
  summary: 'Creates a draft. Members can buy it once it is published.',
  scopes: WRITE,
  of: products,
  fields: {
    slug: productFields.slug,
    title: productFields.title,
    description: productFields.description.default(''),
    price_amount: productFields.price_amount.default(0),
    currency: productFields.currency
      .optional()
      .meta({ description: 'The school’s currency if left out.' }),
    file_id: productFields.file_id.default(null),
  },
  examples: [
    { title: 'A workbook', input: { slug: 'workbook', title: 'Workbook', price_amount: 900 } },
  ],
  async create(tx, _caller, { currency: given, ...columns }) {
    const made = uuidv7()
    const own = await schoolCurrency(tx)
    await tx.insert('digital_products', { ...columns, id: made, currency: given ?? own }).execute()
    await keepRendered(tx, [{ id: made, text: columns.description }])
    return made
  },
})

const target = (product: string, ifVersion: number | undefined) => ({
  object: 'digital_product',
  key: { id: product },
  ifVersion,
})

export const changeProduct = changeOperation({
  name: 'digital_products.change',
  title: 'Change a digital product',
  summary: 'Changes the given fields; all others stay unchanged.',
  scopes: WRITE,
  of: products,
  fields: z.object(productFields).partial().shape,
  examples: [{ title: 'Another price', input: { id: EXAMPLE.product, price_amount: 700 } }],
  async change(tx, _caller, { id: product, if_version, ...columns }) {
    await writing(tx).update('digital_products', target(product, if_version), columns)
    const { description: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: product, text }])
  },
})

const moveTo = (state: 'published' | 'archived', title: string, summary: string) =>
  changeOperation({
    name: `digital_products.${state === 'published' ? 'publish' : 'archive'}`,
    title,
    summary,
    scopes: WRITE,
    of: products,
    fields: {},
    examples: [{ title, input: { id: EXAMPLE.product } }],
    async change(tx, _caller, { id: product, if_version }) {
      await writing(tx).update('digital_products', target(product, if_version), { state })
    },
  })

export const publishProduct = moveTo('published', 'Publish a digital product', 'Puts it on sale.')
export const archiveProduct = moveTo(
  'archived',
  'Archive a digital product',
  'Takes it off sale. Members who have it keep it.',
)

export const removeProduct = removeOperation({
  name: 'digital_products.remove',
  title: 'Remove a digital product',
  summary: 'Removes a product that no member ever had. Archive all others.',
  scopes: WRITE,
  of: products,
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
  async remove(tx, _caller, { id: product, if_version }) {
    await writing(tx).delete('digital_products', target(product, if_version))
  },
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
