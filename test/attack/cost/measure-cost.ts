import type { HostileText } from './hostile-texts.ts'

export type Work = (text: string) => unknown

export interface Measured {
  readonly name: string
  /** Of the longest text. */
  readonly nanosecondsPerByte: number
  readonly bytes: number
  /** 1 is linear, 2 the square. */
  readonly exponent: number
}

const DOUBLINGS = 8

/** The greatest exponent that counts as linear: clocks and caches are not exact. */
export const LINEAR = 1.2

/** A batch must take this long, or the clock decides. */
const LEAST_MS = 2
const RUNS = 2
const RETRIES = 4

/** The CPU cost of work on a text of eight doubling lengths, up to `longest` characters. */
export async function measureCost(
  { name, make }: HostileText,
  longest: number,
  work: Work,
): Promise<Measured> {
  let best: Measured | undefined
  for (let tries = 0; tries <= RETRIES; tries++) {
    const points: (readonly [length: number, ms: number])[] = []
    let calls = 1
    for (let doubling = 0; doubling <= DOUBLINGS; doubling++) {
      const length = Math.floor(longest / 2 ** doubling)
      const point = await cpuPerCall(make(length), work, calls)
      points.unshift([length, point.ms])
      calls = point.calls
    }
    const [length, ms] = points.at(-1) ?? [1, 0]
    const bytes = Buffer.byteLength(make(length))
    const found = { name, nanosecondsPerByte: (ms * 1e6) / bytes, bytes, exponent: slopeOf(points) }
    if (best === undefined || found.exponent < best.exponent) best = found
    // A measurement can only be disturbed upwards.
    if (best.exponent <= LINEAR) break
  }
  if (best === undefined) throw new Error('nothing was measured')
  return best
}

async function cpuPerCall(
  text: string,
  work: Work,
  atLeast: number,
): Promise<{ readonly ms: number; readonly calls: number }> {
  let least = Number.POSITIVE_INFINITY
  let calls = atLeast
  for (let run = 0; run < RUNS; ) {
    const before = process.cpuUsage()
    for (let call = 0; call < calls; call++) {
      const given = work(text)
      if (given instanceof Promise) await given
    }
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1000
    if (ms < LEAST_MS && calls < 100_000) {
      calls *= 4
      continue
    }
    least = Math.min(least, ms / calls)
    run += 1
  }
  return { ms: least, calls }
}

/** The slope of the upper half in a logarithmic plot; below it, what every call costs hides the growth. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const upper = points.slice(-5).map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length
  const [middleX, middleY] = [mean(upper.map(([x]) => x)), mean(upper.map(([, y]) => y))]
  const above = upper.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0)
  const below = upper.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  return above / below
}
