import { expect, test } from 'vitest'
import type { Outline } from './outline.ts'
import { outlineBytes } from './outline-cache.ts'

/** This many sections with as many lectures each, all under the same title. */
function anOutline(sections: number, lecturesInEach: number, title = ''): Outline {
  const lecture = {
    id: 'a lecture',
    title,
    durationSeconds: 60,
    isPreview: false,
    unlockAfterDays: null,
    unlockAt: null,
  }
  return {
    sections: Array.from({ length: sections }, () => ({
      id: 'a section',
      title,
      lectures: Array.from({ length: lecturesInEach }, () => lecture),
    })),
    lectureCount: sections * lecturesInEach,
  }
}

test('an outline without anything in it still takes room', () => {
  expect(outlineBytes(anOutline(0, 0))).toBeGreaterThan(0)
})

test('sections weigh as much as lectures do, so that thousands of empty ones are not for free', () => {
  const lectures = outlineBytes(anOutline(1, 5_000))
  const sections = outlineBytes(anOutline(5_001, 0))
  expect(sections).toBe(lectures)
  expect(sections).toBeGreaterThan(1_000_000)
})

test('every title weighs two bytes a letter, those of sections and those of lectures', () => {
  const long = '長'.repeat(300)
  const untitled = outlineBytes(anOutline(10, 3))
  expect(outlineBytes(anOutline(10, 3, long)) - untitled).toBe(40 * 600)
})
