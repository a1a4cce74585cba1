import { expect, test } from 'vitest'
import { auditWord } from '../../frame/audit-words.ts'

test.each([
  ['client.created', {}, 'App added'],
  ['operation.done', { operation: 'digital_products.publish' }, 'Digital products: publish'],
  ['operation.done', {}, 'School data changed'],
  ['operation.done', { operation: 7 }, 'School data changed'],
  ['something.new', {}, 'something.new'],
])('%s with %j is called %s', (action, detail, word) => {
  expect(auditWord(action, detail)).toBe(word)
})
