import { expect, test } from 'vitest'
import { type Outline, outlineBytes } from './outline.ts'

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

test('an empty outline still counts', () => {
  expect(outlineBytes(anOutline(0, 0))).toBeGreaterThan(0)
})

test('a section counts as much as a lecture, so that thousands of empty sections are limited too', () => {
  const lectures = outlineBytes(anOutline(1, 5_000))
  const sections = outlineBytes(anOutline(5_001, 0))
  expect(sections).toBe(lectures)
  expect(sections).toBeGreaterThan(1_000_000)
})

test('every title of a section or a lecture counts two bytes per character', () => {
  const long = '長'.repeat(300)
  const untitled = outlineBytes(anOutline(10, 3))
  expect(outlineBytes(anOutline(10, 3, long)) - untitled).toBe(40 * 600)
})
