import { expect, test } from 'vitest'
import { prefersAsync } from './conditional.ts'

test('respond-async is found among other preferences, in any case', () => {
  for (const prefer of [
    'respond-async',
    'Respond-Async',
    'return=minimal, respond-async',
    'respond-async; wait=10',
    'wait=10,respond-async',
  ]) {
    expect(prefersAsync({ prefer }), prefer).toBe(true)
  }
  expect(prefersAsync({ prefer: ['wait=5', 'respond-async'] })).toBe(true)
})

test('anything else is not', () => {
  for (const prefer of ['', 'wait=10', 'respond-async-later', 'return="respond-async"']) {
    expect(prefersAsync({ prefer }), prefer).toBe(false)
  }
  expect(prefersAsync({})).toBe(false)
})
