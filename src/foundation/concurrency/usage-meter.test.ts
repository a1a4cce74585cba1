import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  countStatement,
  countThread,
  putBackUsage,
  takeUsage,
  turnOf,
  worksFor,
} from './usage-meter.ts'

let now = 0
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  takeUsage()
})
afterEach(() => void vi.restoreAllMocks())

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve))
const cpuOf = (tenant: string) => takeUsage().get(tenant)?.cpuMs

describe('the event loop', () => {
  test('works for one tenant until it works for another', async () => {
    worksFor('a')
    now += 7
    worksFor('b')
    now += 2
    worksFor('a')
    now += 1
    await endOfTurn()
    const used = takeUsage()
    expect([used.get('a')?.cpuMs, used.get('b')?.cpuMs]).toEqual([8, 2])
  })

  test('works for no tenant while it waits', async () => {
    worksFor('a')
    now += 3
    await endOfTurn()
    now += 1000
    worksFor('b')
    await endOfTurn()
    expect(cpuOf('a')).toBe(3)
  })

  test('answers that arrive together go on one tenant after the other', async () => {
    const work = async (tenant: string, ms: number) => {
      await turnOf(tenant)
      // What the caller of the statement does, some promises later.
      await Promise.resolve()
      now += ms
    }
    await Promise.all([work('a', 20), work('b', 1), work('a', 20), work('b', 1)])
    await endOfTurn()
    const used = takeUsage()
    expect([used.get('a')?.cpuMs, used.get('b')?.cpuMs]).toEqual([40, 2])
  })

  test('goes on for the tenant whose counters were read in the middle of its work', async () => {
    worksFor('a')
    now += 4
    takeUsage()
    now += 5
    await endOfTurn()
    expect(cpuOf('a')).toBe(9)
  })
})

test('what could not be kept is added to what was counted since', () => {
  countStatement('a')
  countThread('a', 10)
  const taken = takeUsage()
  countStatement('a')
  putBackUsage(taken)
  expect(takeUsage().get('a')).toEqual({ requests: 0, statements: 2, cpuMs: 10, bytes: 0 })
})
