import { cpuOf } from '../../support/cpu.ts'
import type { HostileText } from './hostile-texts.ts'
import type { Work } from './measure-cost.ts'

/** The square would be 64 times the cost. */
const STEP = 8
const MOST = 40
/** Below this a clock and a collection of garbage decide. */
const FLOOR_MS = 100

/** The texts of which an eighth is far cheaper than an eighth of the whole: a quick look, without a fit. */
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
    const [again, less] = [await cpuOf(() => work(whole)), await cpuOf(() => work(part))]
    if (again > FLOOR_MS && again > MOST * less) steep.push(`${name}: ${less} ms, ${again} ms`)
  }
  return steep
}
