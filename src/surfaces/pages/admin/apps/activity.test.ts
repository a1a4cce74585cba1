import { expect, test } from 'vitest'
import { activityInWords } from './activity.tsx'

const day = new Date('2026-11-03T10:00:00Z')
const read = (kind: string) => ({
  ...{ kind, readDays: 2, lastReadAt: day, changes: 0, lastChangedAt: undefined },
})
const changed = (kind: string, changes: number) => ({
  ...{ kind, readDays: 0, lastReadAt: undefined, changes, lastChangedAt: day },
})

test.each([
  [
    'use that was not counted',
    [],
    'Used in the last 30 days, but nothing that it read or changed was counted',
  ],
  ['one kind', [read('courses')], 'In the last 30 days it read courses'],
  [
    'reads and changes',
    [read('courses'), read('profile'), changed('coupons', 1), changed('posts', 3)],
    'In the last 30 days it read courses and name and email, and changed coupons once and posts 3 times',
  ],
  [
    'many kinds',
    ['courses', 'students', 'orders', 'coupons', 'posts'].map(read),
    'In the last 30 days it read courses, students, orders and 2 more kinds of data',
  ],
])('%s in words', (_, activities, words) => {
  expect(activityInWords({ activities, people: 1 })).toBe(words)
  expect(activityInWords(undefined)).toBe('Read and changed nothing in the last 30 days')
})
