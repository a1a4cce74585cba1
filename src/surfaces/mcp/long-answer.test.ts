import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LongAnswer } from './long-answer.ts'

const rows = fc.array(fc.string({ maxLength: 40 }), { maxLength: 60 })

test('the answer holds as many as fit, and one more would be too long', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 60, max: 600 }), (all, max) => {
      const write = (shown: number) => ({ all: all.slice(0, shown), more: shown < all.length })
      const { answer, text } = new LongAnswer({ max, count: all.length, write }).fit()
      expect(text).toBe(JSON.stringify(answer))
      const shown = answer.all.length
      if (text.length > max) expect(shown).toBeLessThanOrEqual(1)
      if (shown < all.length) {
        expect(JSON.stringify(write(shown + 1)).length).toBeGreaterThan(max)
      }
    }),
  )
})

test('one that is longer than the limit is shown alone, so that a reader gets on', () => {
  const write = (shown: number) => ({ all: ['x'.repeat(2000), 'y'].slice(0, shown) })
  const { answer } = new LongAnswer({ max: 1000, count: 2, write }).fit()
  expect(answer.all).toHaveLength(1)
})

test('unless there is another way to cut it', () => {
  const text = 'x'.repeat(3000)
  const orElse = () =>
    new LongAnswer({ max: 1000, count: 3000, write: (shown) => ({ text: text.slice(0, shown) }) })
  const whole = new LongAnswer({ max: 1000, count: 1, write: () => ({ text }), orElse }).fit()
  expect(whole.text).toHaveLength(1000)
})

test('nothing to show is an answer too', () => {
  const { answer } = new LongAnswer({ max: 1, count: 0, write: (shown) => ({ shown }) }).fit()
  expect(answer).toEqual({ shown: 0 })
})
