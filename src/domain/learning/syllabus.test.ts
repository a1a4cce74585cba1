import { describe, expect, test } from 'vitest'
import { courseProgress } from './progress.ts'
import { openingOf } from './syllabus.ts'

const day = (n: number): Date => new Date(Date.UTC(2026, 0, 1 + n))
const lecture = { isPreview: false, unlockAfterDays: null, unlockAt: null }
const forLife = { enrolledAt: day(0), expiresAt: null }
const untilDay10 = { enrolledAt: day(0), expiresAt: day(10) }

describe('when a lecture opens', () => {
  test('at once without an unlock date', () => {
    expect(openingOf(lecture, forLife, day(0))).toEqual({ isLocked: false, unlockAt: null })
  })

  test('a number of days after the enrollment, to the millisecond', () => {
    const dripped = { ...lecture, unlockAfterDays: 3 }
    const justBefore = new Date(day(3).getTime() - 1)
    expect(openingOf(dripped, forLife, justBefore)).toEqual({ isLocked: true, unlockAt: day(3) })
    expect(openingOf(dripped, forLife, day(3))).toEqual({ isLocked: false, unlockAt: null })
  })

  test('at a fixed date, independent of the enrollment', () => {
    const dated = { ...lecture, unlockAt: day(5) }
    expect(openingOf(dated, forLife, day(4))).toEqual({ isLocked: true, unlockAt: day(5) })
    expect(openingOf(dated, forLife, day(5)).isLocked).toBe(false)
  })

  test('never, once access has expired', () => {
    expect(openingOf(lecture, untilDay10, day(9)).isLocked).toBe(false)
    expect(openingOf(lecture, untilDay10, day(10))).toEqual({ isLocked: true, unlockAt: null })
  })

  test('never, if its date is after the end of access', () => {
    const late = { ...lecture, unlockAfterDays: 10 }
    expect(openingOf(late, untilDay10, day(1))).toEqual({ isLocked: true, unlockAt: null })
  })

  test('a preview is always open', () => {
    const preview = { ...lecture, isPreview: true, unlockAt: day(30) }
    expect(openingOf(preview, untilDay10, day(20))).toEqual({ isLocked: false, unlockAt: null })
  })
})

describe('progress', () => {
  test('100 percent means that nothing is left', () => {
    expect(courseProgress(999, 1000).percent).toBe(99)
    expect(courseProgress(1000, 1000).percent).toBe(100)
  })

  test('a course without lectures is at 0, not at NaN', () => {
    expect(courseProgress(0, 0)).toEqual({ completedLectures: 0, totalLectures: 0, percent: 0 })
  })
})
