import { describe, expect, test } from 'vitest'
import {
  cacheLifetimeSeconds,
  FAILURE_LIFETIME_SECONDS,
  LAST_GOOD_COPY_DAYS,
  LONGEST_DOCUMENT_LIFETIME_SECONDS,
  SHORTEST_DOCUMENT_LIFETIME_SECONDS,
} from './metadata-clients.ts'

describe('cacheLifetimeSeconds', () => {
  test('keeps documents between five minutes and a day, copies of a failing host for a week, failures for one minute', () => {
    expect(SHORTEST_DOCUMENT_LIFETIME_SECONDS).toBe(300)
    expect(LONGEST_DOCUMENT_LIFETIME_SECONDS).toBe(86_400)
    expect(LAST_GOOD_COPY_DAYS).toBe(7)
    expect(FAILURE_LIFETIME_SECONDS).toBe(60)
  })

  test.each([
    [undefined, 300],
    [0, 300],
    [299, 300],
    [301, 301],
    [3600, 3600],
    [86_401, 86_400],
    [Number.POSITIVE_INFINITY, 86_400],
  ])('%s becomes %i', (said, kept) => expect(cacheLifetimeSeconds(said)).toBe(kept))
})
