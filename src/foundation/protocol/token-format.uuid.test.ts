import { expect, test } from 'vitest'
import { isUuid, UUID } from './token-format.ts'

const id = '0190c0de-0000-7000-8000-00000000abcd'

test('a UUID is an id in either case, and ours are written in lower case', () => {
  expect([isUuid(id), isUuid(id.toUpperCase())]).toEqual([true, true])
  expect([UUID.test(id), UUID.test(id.toUpperCase())]).toEqual([true, false])
})

test.each([
  '',
  'new',
  id.slice(1),
  `${id}0`,
  ` ${id}`,
  `${id}\n`,
  id.replaceAll('-', ''),
  `{${id}}`,
])('%j is not an id', (text) => {
  expect([isUuid(text), UUID.test(text)]).toEqual([false, false])
})
