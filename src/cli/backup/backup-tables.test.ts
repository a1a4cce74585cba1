import { expect, test } from 'vitest'
import { inOrder } from './backup-tables.ts'

const tables = (...names: string[]) => names.map((name) => ({ name, columns: [] }))
const key = (table: string, target: string) => ({ name: `${table}_${target}`, table, target })

test('parents come before what points at them', () => {
  const { tables: ordered, circular } = inOrder(tables('a', 'b', 'c'), [
    key('a', 'b'),
    key('b', 'c'),
  ])
  expect(ordered.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  expect(circular).toEqual([])
})

test('a table that points at itself waits for the end of the restore', () => {
  const own = key('comments', 'comments')
  expect(inOrder(tables('comments'), [own]).circular).toEqual([own])
})

test('a circle is broken at one place', () => {
  const keys = [key('a', 'b'), key('b', 'a'), key('c', 'a')]
  const { tables: ordered, circular } = inOrder(tables('a', 'b', 'c'), keys)
  expect(ordered).toHaveLength(3)
  expect(circular).toEqual([key('a', 'b')])
})
