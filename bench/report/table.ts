import { CONTENDER_TITLES, type ContenderName } from '../contenders/contender-names.ts'
import {
  type Entry,
  median,
  type Result,
  ratio,
  remarks,
  shownAgainst,
  type Verdict,
  verdictsOf,
} from './summary.ts'

/** A result as a Markdown table, which is also readable in a terminal. */
export function tableOf(result: Result): string {
  const { scenario, entries } = result
  const ours = entries.find(({ contender }) => contender === 'ours')
  return [
    `### ${scenario.title}`,
    '',
    [
      `Floor: ${scenario.least}.`,
      ...verdictsOf(result).map(inWords),
      ...(ours === undefined ? [] : [loadOf(ours)]),
      ...laterOf(result),
    ].join(' '),
    '',
    '| | × floor | CPU µs | server | PostgreSQL | statements | req/s | p50 ms | p99 ms | remarks |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |',
    ...entries.map((entry) => line(result, entry)),
    '',
  ].join('\n')
}

function inWords({ peer, bar, reached, hasFailures, isMet }: Verdict): string {
  const of = peer === 'floor' ? '' : ` the CPU of ${CONTENDER_TITLES[peer]}`
  const fault = hasFailures ? ', **but requests failed**' : isMet ? '' : ', **not met**'
  return `Bar: at most ${bar} times${of}; reached ${shownAgainst(bar, reached)}${fault}.`
}

/** What limited the requests per second. */
function loadOf(ours: Entry): string {
  const busy = (who: 'node' | 'postgres') =>
    Math.round((median(ours, who) * median(ours, 'perSecond')) / 10_000)
  return `Schoolgate's process took ${busy('node')} % of a core, PostgreSQL ${busy('postgres')} %.`
}

/** The part of the cost that comes after the request. */
function laterOf({ entries }: Result): readonly string[] {
  const of = (name: ContenderName) =>
    entries.find(({ contender }) => contender === name)?.afterwards?.toFixed(0)
  const [ours, floor] = [of('ours'), of('floor')]
  if (ours === undefined || floor === undefined) return []
  return [
    `CPU includes what purge and vacuum take later for its rows: ${ours} µs for Schoolgate (pair, and the audit entry of one refresh in twelve), ${floor} µs for the floor (pair); for peers it is not counted.`,
  ]
}

const counted = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(1))

function line(result: Result, entry: Entry): string {
  const whole = (figure: 'node' | 'postgres' | 'perSecond') => Math.round(median(entry, figure))
  const cells = [
    CONTENDER_TITLES[entry.contender],
    ratio(result, entry)?.toFixed(2) ?? '',
    whole('node') + whole('postgres') + Math.round(entry.afterwards ?? 0),
    whole('node'),
    whole('postgres'),
    counted(median(entry, 'statements')),
    whole('perSecond'),
    median(entry, 'p50').toFixed(2),
    median(entry, 'p99').toFixed(2),
    remarks(entry).join('; '),
  ]
  return `| ${cells.join(' | ')} |`
}
