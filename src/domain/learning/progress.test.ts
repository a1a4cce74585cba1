import { expect, test } from 'vitest'
import { nextLecture } from './progress.ts'

const done = (id: string) => ({ id, state: 'completed', isLocked: false }) as const
const open = (id: string) => ({ id, state: 'unread', isLocked: false }) as const
const begun = (id: string) => ({ id, state: 'read', isLocked: false }) as const
const locked = (id: string) => ({ id, state: 'unread', isLocked: true }) as const

test('a member who has not started gets the first lecture', () => {
  expect(nextLecture([open('a'), open('b')], undefined)?.id).toBe('a')
})

test('an unfinished lecture is continued', () => {
  expect(nextLecture([open('a'), begun('b'), open('c')], 'b')?.id).toBe('b')
})

test('after a finished lecture comes the next open one', () => {
  expect(nextLecture([open('a'), done('b'), locked('c'), open('d')], 'b')?.id).toBe('d')
})

test('skipped lectures come at the end', () => {
  expect(nextLecture([open('a'), done('b')], 'b')?.id).toBe('a')
})

test('if the last watched lecture was removed, the first unfinished one is next', () => {
  expect(nextLecture([done('a'), open('b')], 'gone')?.id).toBe('b')
})

test('no lecture is next if all are finished or locked', () => {
  expect(nextLecture([done('a'), locked('b')], 'a')).toBeUndefined()
  expect(nextLecture([], undefined)).toBeUndefined()
})
