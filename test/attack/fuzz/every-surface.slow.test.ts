import { expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'

/** A short version of `npm run attack`. */
test('mutated requests to every surface get an answer or a refusal, and no secret', async () => {
  const { counts, findings } = await fuzz(1000, 7)
  expect(findings).toEqual([])
  expect(counts.length).toBeGreaterThan(7)
})
