import {
  archiveProduct,
  changeProduct,
  createProduct,
  listProducts,
  publishProduct,
  readProduct,
  removeProduct,
} from '../../../../domain/commerce/product-operations.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, moment, money, number, state, text } from '../crud/object-table.tsx'
import { defineResource, deleting } from '../crud/resource.ts'
import { siteLink, slugFrom } from './site-link.ts'

export const products = defineResource({
  path: 'products',
  one: 'digital product',
  many: 'Digital products',
  lead: 'Files that you sell or give away.',
  list: listPlan({
    operation: listProducts,
    columns: [
      { label: 'Title', show: text('title'), sort: 'title' },
      { label: 'State', show: state('state') },
      { label: 'Price', show: money('price_amount'), sort: 'price_amount' },
      { label: 'Owners', show: number('owner_count') },
      { label: 'Created', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Title or address',
    filters: [{ name: 'state', label: 'State' }],
    sorts: ['-created_at', 'created_at', 'title', '-title', 'price_amount', '-price_amount'],
  }),
  read: readProduct,
  name: (product) => product.title,
  badges: state('state'),
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Price', show: money('price_amount') },
    { label: 'Members who may download it', show: number('owner_count') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'Description', member: 'description', isKept: true },
  fields: [
    { name: 'title', label: 'Title' },
    slugFrom('title'),
    { name: 'description', label: 'Description', kind: 'markdown', hint: 'Markdown.' },
    { name: 'price_amount', label: 'Price', kind: 'money', hint: '0 makes it free.' },
    { name: 'currency', label: 'Currency', kind: 'currency' },
  ],
  uploads: [
    {
      path: 'file',
      title: 'File',
      hint: 'What buyers download.',
      field: 'file_id',
    },
  ],
  create: createProduct,
  change: changeProduct,
  actions: [
    {
      path: 'publish',
      label: 'Publish',
      does: publishProduct,
      question: 'Publish this product?',
      consequence: 'It goes on sale at once.',
      consequenceOfMany: 'They go on sale at once.',
      done: 'The product is on sale.',
      when: (product) => product.state !== 'published',
    },
    {
      path: 'archive',
      label: 'Archive',
      does: archiveProduct,
      question: 'Archive this product?',
      consequence: 'It goes off sale. Members who have it keep it.',
      consequenceOfMany: 'They go off sale. Members who have one keep it.',
      done: 'The product is in the archive.',
      when: (product) => product.state === 'published',
    },
    deleting('product', removeProduct),
  ],
  links: (product) => [siteLink('products', product)],
})
