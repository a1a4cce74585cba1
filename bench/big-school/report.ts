import type { Measured } from './measure-case.ts'
import { FULL_PAGE } from './school-size.ts'

export const BAR = 1.5
/** Below this the difference is noise. */
const NOISE_MS = 2
const STALL_MS = 50
const GROWTH_MB = 50

export function ratioOf({ small, big }: Measured): number {
  return big.cpuMs / small.cpuMs
}

/** What is wrong with a row; empty if nothing is. */
export function faultsOf(measured: Measured): readonly string[] {
  const { small, big } = measured
  const isDear = ratioOf(measured) > BAR && big.cpuMs - small.cpuMs > NOISE_MS
  return [
    ...(big.status >= 500 || big.status === 0 ? [`answers ${big.status}`] : []),
    ...(big.status !== small.status && big.status < 500
      ? [`${small.status} and ${big.status}`]
      : []),
    ...(isDear ? ['too dear'] : []),
    ...(big.stallMs > STALL_MS ? [`stood still for ${Math.round(big.stallMs)} ms`] : []),
    ...(big.grewMb > GROWTH_MB ? [`took ${Math.round(big.grewMb)} MB`] : []),
  ]
}

export function rowOf(measured: Measured): string {
  const { name, small, big } = measured
  const faults = faultsOf(measured)
  const cells = [
    `\`${name.replaceAll('|', '\\|')}\``,
    small.cpuMs.toFixed(1),
    big.cpuMs.toFixed(1),
    ratioOf(measured).toFixed(2),
    Math.round(big.stallMs),
    Math.round(big.grewMb),
    faults.length === 0 ? 'yes' : `**no**: ${faults.join(', ')}`,
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = [
  '| | small, ms | big, ms | ratio | stall, ms | grew, MB | met |',
  '| --- | --: | --: | --: | --: | --: | --- |',
]

export interface LongRow {
  readonly name: string
  readonly small: string
  readonly big: string
  readonly note: string
}

interface Report {
  readonly measured: readonly Measured[]
  readonly long: readonly LongRow[]
  readonly isWhole: boolean
  readonly rows: string
  /** Rows of several runs are in it, or of one with few turns. */
  readonly isInParts: boolean
  readonly turns: number
}

export function documentOf({ measured, long, isWhole, rows, isInParts, turns }: Report): string {
  const missing =
    long.length === 0
      ? ['exports, imports, announcements, deletions, purge, backup, restore and start']
      : []
  const groups = [...new Set(measured.map(({ group }) => group))]
  const bad = measured.filter((one) => faultsOf(one).length > 0)
  return [
    '# One big school',
    '',
    `Measured by \`npm --prefix bench run big-school\` on ${new Date().toISOString().slice(0, 10)}; this file is its output.`,
    '',
    'Two schools in one database. The big one has',
    `${rows}.`,
    `The small one has a thousandth of its people, orders, enrollments and whatever else people do, but at least ${FULL_PAGE} of everything that`,
    'is listed: courses, posts, coupons, plans, events, forms, apps and so on, and as many below each of them (registrations, submissions,',
    'students, meetings of a service, notifications and meetings of one member), so that both schools fill their pages; and more of what',
    'a filter or a search for a common name would leave few of: drafts, hidden comments, registrations of one event, notifications.',
    'Each question is asked at both in turn. Figures are milliseconds of CPU of Node and PostgreSQL together, the median;',
    'the longest time for which the event loop of the server stood still, without that for which a thread without work stood still beside it,',
    'because it is late only when the machine is; and how much the memory of the server grew during one answer.',
    `Met: at most ${BAR} times the CPU of the small school, or at most ${NOISE_MS} ms more; no stall above ${STALL_MS} ms; no growth`,
    `above ${GROWTH_MB} MB; the same status. PostgreSQL has 1 GB of shared buffers and neither writes to disk at commit nor`,
    'vacuums by itself, because both come at random moments; nor does it use parallel workers, whose CPU could not be counted.',
    ...(isInParts
      ? [
          '',
          `**Read with care:** measured in parts, not in one run, with as few as ${turns} turns for a row, on a machine that did other work`,
          'meanwhile. Parts may be of different builds. A single row can be far off, its stall most of all.',
        ]
      : []),
    ...missing.map((what) => `Not measured: ${what}.`),
    '',
    `**${measured.length - bad.length} of ${measured.length} rows meet the bar.**${isWhole ? '' : ' The time of the run ended before all rows were measured.'}`,
    ...(bad.length === 0 ? [] : ['', '## Not met', '', ...HEAD, ...bad.map(rowOf)]),
    ...(long.length === 0
      ? []
      : [
          '',
          '## Long work',
          '',
          'At most in proportion to the rows it touches.',
          '',
          '| | small | big | |',
          '| --- | --- | --- | --- |',
          ...long.map(({ name, small, big, note }) => `| ${name} | ${small} | ${big} | ${note} |`),
        ]),
    ...groups.flatMap((group) => [
      '',
      `## ${group}`,
      '',
      ...HEAD,
      ...measured.filter((one) => one.group === group).map(rowOf),
    ]),
    '',
  ].join('\n')
}
