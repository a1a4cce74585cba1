import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf } from '../../support/cpu.ts'
import type { HostileText } from './hostile-texts.ts'
import type { Work } from './measure-cost.ts'

/** The square would be 64 times the cost. */
const STEP = 8
const MOST = 40
/** Below this a clock and a collection of garbage decide. */
const FLOOR_MS = 100
/**
 * What else the process does can make a text look steep for a moment; one that is steep looks so
 * each time.
 */
const LOOKS = 5
const PAUSE_MS = 200

/**
 * The texts of which an eighth is far cheaper than an eighth of the whole: a quick look, without a
 * fit.
 */
export async function findSteep(
  texts: readonly HostileText[],
  length: number,
  work: Work,
): Promise<string[]> {
  const steep: string[] = []
  for (const { name, make } of texts) {
    const whole = make(length)
    if ((await cpuOf(() => work(whole), 1)) < FLOOR_MS) continue
    const part = make(length / STEP)
    let found: string | undefined
    for (let look = 0; look < LOOKS; look++) {
      const [again, less] = [await cpuOf(() => work(whole)), await cpuOf(() => work(part))]
      const isSteep = again > FLOOR_MS && again > MOST * less
      found = isSteep ? `${name}: ${less} ms, ${again} ms` : undefined
      if (!isSteep) break
      await sleep(PAUSE_MS)
    }
    if (found !== undefined) steep.push(found)
  }
  return steep
}
