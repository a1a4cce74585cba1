import type { ContenderName } from '../contenders/contender-names.ts'
import type { Round } from '../measure/round.ts'
import type { Scenario } from '../scenario.ts'

/** All figures of one contender in one scenario. */
export interface Entry {
  readonly contender: ContenderName
  /** One for each turn, in the order of the turns. */
  readonly rounds: readonly Round[]
  /** Failed requests of the warm-up rounds; their other figures do not count. */
  readonly failedBefore: readonly Round[]
  /** Microseconds of CPU per request that purge and vacuum take later. */
  readonly afterwards?: number
}

export interface Result {
  readonly scenario: Scenario
  readonly entries: readonly Entry[]
}

export type Figure = {
  readonly [F in keyof Round]: Round[F] extends number ? F : never
}[keyof Round]

export function median({ rounds }: Entry, figure: Figure): number {
  return middleOf(rounds.map((round) => round[figure]))
}

export function middleOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

export const cpuOf = (entry: Entry): number =>
  median(entry, 'node') + median(entry, 'postgres') + (entry.afterwards ?? 0)

/** The difference between the rounds, as a share of the median. */
export function spread({ rounds }: Entry): number {
  const totals = rounds.map(({ node, postgres }) => node + postgres)
  return (
    (Math.max(...totals) - Math.min(...totals)) / (totals.reduce((a, b) => a + b) / totals.length)
  )
}

/**
 * The ratio of CPU to another contender, usually the floor; undefined if that one did not take
 * part. Each round is compared with the other's round of the same turn, because the speed of the
 * machine can change by half within a minute.
 */
export function ratio(
  { entries }: Result,
  entry: Entry,
  to: ContenderName = 'floor',
): number | undefined {
  const other = entries.find(({ contender }) => contender === to)
  if (other === undefined) return undefined
  const total = ({ afterwards = 0 }: Entry, { node, postgres }: Round) =>
    node + postgres + afterwards
  return middleOf(
    entry.rounds.flatMap((round, turn) => {
      const same = other.rounds[turn]
      return same === undefined ? [] : [total(entry, round) / total(other, same)]
    }),
  )
}

export function failuresOf({ rounds, failedBefore }: Entry): number {
  return [...rounds, ...failedBefore].reduce((sum, { failures }) => sum + failures, 0)
}

export interface Verdict {
  readonly peer: ContenderName
  readonly bar: number
  readonly reached: number
  readonly hasFailures: boolean
  readonly isMet: boolean
}

/**
 * Compares ours with each bar. A failed request does less work, so a run with failures meets no
 * bar.
 */
export function verdictsOf(result: Result): readonly Verdict[] {
  const { scenario, entries } = result
  const ours = entries.find(({ contender }) => contender === 'ours')
  if (ours === undefined) return []
  const bars = [{ peer: 'floor' as const, bar: scenario.bar }, ...(scenario.against ?? [])]
  return bars.flatMap(({ peer, bar }) => {
    const reached = ratio(result, ours, peer)
    const other = entries.find(({ contender }) => contender === peer)
    if (reached === undefined || other === undefined) return []
    const hasFailures = failuresOf(ours) + failuresOf(other) > 0
    return [{ peer, bar, reached, hasFailures, isMet: !hasFailures && reached <= bar }]
  })
}

/** A figure above its bar is rounded up, so that 1.104 is not shown as 1.10. */
export function shownAgainst(bar: number, reached: number): string {
  return (reached <= bar ? reached : Math.ceil(reached * 100) / 100).toFixed(2)
}

/** Remarks about the reliability of a line. */
export function remarks(entry: Entry): readonly string[] {
  const failures = failuresOf(entry)
  const busy = entry.rounds.filter((round) => round.elsewhere > 0.3).length
  return [
    ...(failures > 0 ? [`${failures} failed`] : []),
    ...(spread(entry) > 0.25 ? [`rounds differ by ${Math.round(spread(entry) * 100)} %`] : []),
    ...(busy > 0 ? [`machine busy elsewhere in ${busy} of ${entry.rounds.length} rounds`] : []),
  ]
}
