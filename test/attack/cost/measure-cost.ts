import type { HostileText } from './hostile-texts.ts'

export type Work = (text: string) => unknown

export interface Measured {
  readonly name: string
  /** Of the longest text. */
  readonly nanosecondsPerByte: number
  readonly bytes: number
  readonly ms: number
  /** 1 is linear, 2 the square. */
  readonly exponent: number
}

const DOUBLINGS = 8

/** The greatest exponent that counts as linear: clocks and caches are not exact. */
export const LINEAR = 1.2
/**
 * No text that costs less at its greatest length holds anyone up, and the size of caches decides
 * about its exponent.
 */
export const HARMLESS_MS = 20

/**
 * The greatest exponent among the texts that are dear enough to have one; a dash if there are none.
 */
export function steepestOf(measured: readonly Measured[]): string {
  const exponents = measured.filter(({ ms }) => ms > HARMLESS_MS).map(({ exponent }) => exponent)
  return exponents.length === 0 ? '–' : Math.max(...exponents).toFixed(2)
}

export function isSteep({ exponent, ms }: Measured): boolean {
  return exponent > LINEAR && ms > HARMLESS_MS
}

/**
 * How carefully a text is measured: a batch of calls must take so long, or the clock decides, and
 * the best of the runs counts.
 */
interface Care {
  readonly leastMs: number
  readonly runs: number
}

const QUICK: Care = { leastMs: 1, runs: 1 }
const CAREFUL: Care = { leastMs: 4, runs: 2 }
const RETRIES = 4

/**
 * The CPU cost of work on a text of eight doubling lengths, up to `longest` characters. Thousands
 * of texts are measured, so only those that look steep at first are measured with care: a
 * measurement can only be disturbed upwards.
 */
export async function measureCost(
  text: HostileText,
  longest: number,
  work: Work,
): Promise<Measured> {
  let best = await measureOnce(text, longest, work, QUICK)
  for (let tries = 0; tries < RETRIES && isSteep(best); tries++) {
    const again = await measureOnce(text, longest, work, CAREFUL)
    if (again.exponent < best.exponent) best = again
  }
  return best
}

async function measureOnce(
  { name, make }: HostileText,
  longest: number,
  work: Work,
  care: Care,
): Promise<Measured> {
  const points: (readonly [length: number, ms: number])[] = []
  let calls = 1
  for (let doubling = 0; doubling <= DOUBLINGS; doubling++) {
    const length = Math.floor(longest / 2 ** doubling)
    const point = await cpuPerCall(make(length), work, calls, care)
    points.unshift([length, point.ms])
    calls = point.calls
  }
  const [length, ms] = points.at(-1) ?? [1, 0]
  const bytes = Buffer.byteLength(make(length))
  return { name, nanosecondsPerByte: (ms * 1e6) / bytes, bytes, ms, exponent: slopeOf(points) }
}

async function cpuPerCall(
  text: string,
  work: Work,
  atLeast: number,
  { leastMs, runs }: Care,
): Promise<{ readonly ms: number; readonly calls: number }> {
  let least = Number.POSITIVE_INFINITY
  let calls = atLeast
  for (let run = 0; run < runs; ) {
    const before = process.cpuUsage()
    for (let call = 0; call < calls; call++) {
      const given = work(text)
      if (isThenable(given)) await given
    }
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1000
    if (ms < leastMs && calls < 100_000) {
      calls *= 4
      continue
    }
    least = Math.min(least, ms / calls)
    run += 1
  }
  return { ms: least, calls }
}

/** An injected request is no Promise, and starts only when it is awaited. */
function isThenable(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'then' in given
}

/**
 * The slope of the upper half in a logarithmic plot; below it, what every call costs hides the
 * growth.
 */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const upper = points.slice(-5).map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length
  const [middleX, middleY] = [mean(upper.map(([x]) => x)), mean(upper.map(([, y]) => y))]
  const above = upper.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0)
  const below = upper.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  return above / below
}
