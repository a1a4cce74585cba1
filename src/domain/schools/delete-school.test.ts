import { expect, test } from 'vitest'
import { inOrder } from './delete-school.ts'

const key = (table: string, target: string) => ({ table, target })

test('a table comes after those that it references', () => {
  expect(inOrder(['a', 'b', 'c'], [key('a', 'b'), key('b', 'c')])).toEqual(['c', 'b', 'a'])
})

test('references to itself and to other tables do not matter', () => {
  const keys = [key('comments', 'comments'), key('comments', 'schools')]
  expect(inOrder(['comments'], keys)).toEqual(['comments'])
})

test('a circle is broken at one place', () => {
  const keys = [key('a', 'b'), key('b', 'a'), key('c', 'a')]
  expect(inOrder(['a', 'b', 'c'], keys)).toEqual(['a', 'b', 'c'])
})
