import { expect, test } from 'vitest'
import { findMaker, temporaryName } from './data-folder.ts'

test('a temporary name contains the pid of its maker', () => {
  expect(findMaker(temporaryName('/data/pg18'))).toBe(process.pid)
  expect(findMaker('/data/pg18.new-4711-0a1b2c3d.password')).toBe(4711)
})

test.each([
  '/data/pg18',
  '/data/pg18.new-',
  '/data.new-4711-0a1b2c3d/pg18',
  '/data/pg18.new-x-0a1b2c3d',
])('%s is nothing temporary', (path) => {
  expect(findMaker(path)).toBeUndefined()
})
