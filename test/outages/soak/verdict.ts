import type { Figure, Sample } from './sample.ts'

/**
 * A figure may grow so much in the second half: a part of its mean, or this many units if that is
 * more.
 */
const PERMITTED: Readonly<Record<Figure, { readonly part: number; readonly units: number }>> = {
  memoryMegabytes: { part: 0.05, units: 10 },
  heldMegabytes: { part: 0.05, units: 5 },
  descriptors: { part: 0.05, units: 5 },
  eventLoopDelayMs: { part: 0.25, units: 5 },
  machineDelayMs: { part: 0.25, units: 5 },
  backends: { part: 0.05, units: 2 },
  requests: { part: 0.1, units: 5 },
}

export interface Verdict {
  readonly mean: number
  readonly highest: number
  /** What a straight line through the second half rises by, from its beginning to its end. */
  readonly growth: number
  readonly isFlat: boolean
}

/** Whether a figure stayed as it was. The first half is for caches to fill. */
export function judge(samples: readonly Sample[], figure: Figure): Verdict {
  const half = samples.slice(Math.floor(samples.length / 2))
  const values = half.map((sample) => sample[figure])
  // Where the machine itself was late, the server is not to blame.
  const own = (sample: Sample) =>
    figure === 'eventLoopDelayMs' ? sample[figure] - sample.machineDelayMs : sample[figure]
  const mean = average(values)
  const [first, last] = [half.at(0), half.at(-1)]
  const span = first === undefined || last === undefined ? 0 : last.minutes - first.minutes
  const growth = slopeOf(half.map((sample) => [sample.minutes, own(sample)])) * span
  const { part, units } = PERMITTED[figure]
  return {
    mean,
    highest: Math.max(...samples.map((sample) => sample[figure])),
    growth,
    isFlat: growth <= Math.max(units, mean * part),
  }
}

/** Of the line with the least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const [meanX, meanY] = [average(points.map(([x]) => x)), average(points.map(([, y]) => y))]
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return below === 0 ? 0 : above / below
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
