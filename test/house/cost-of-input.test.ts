import { describe, expect, test } from 'vitest'
import { PARSERS } from '../attack/cost/parsers.ts'
import { cpuOf } from '../support/cpu.ts'

/**
 * A short version of `npm run attack`, without a fit: an eighth of the input must not be far cheaper than an
 * eighth of the cost. The square would be 64 times the cost.
 */
const STEP = 8
const MOST = 40
/** Below this a clock and a collection of garbage decide. */
const FLOOR_MS = 100

/** Every how many texts one is tried; `npm run attack` tries all. */
const SAMPLE = 4
const LONGEST = 32 * 1024

describe.each(PARSERS)('$name', ({ longest, texts, work }) => {
  test('a hostile text costs about as much as its parts', async () => {
    const length = Math.min(longest, LONGEST)
    const steep: string[] = []
    for (const { name, make } of texts.filter((_, place) => place % SAMPLE === 0)) {
      const whole = make(length)
      const ms = await cpuOf(() => work(whole), 1)
      if (ms < FLOOR_MS) continue
      const part = make(length / STEP)
      const [again, less] = [await cpuOf(() => work(whole)), await cpuOf(() => work(part))]
      if (again > FLOOR_MS && again > MOST * less) steep.push(`${name}: ${less} ms, ${again} ms`)
    }
    expect(steep).toEqual([])
  })
})
