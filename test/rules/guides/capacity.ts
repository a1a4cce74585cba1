import { readFileSync } from 'node:fs'

/** Requests of one member in a day, by the heading of their measurement in docs/performance.md. */
const USES: readonly {
  readonly use: string
  readonly requests: Readonly<Record<string, number>>
}[] = [
  {
    use: 'an app that is opened now and then: 1 refresh, 5 small queries, 1 whole course',
    requests: { refresh: 1, small: 5, course: 1 },
  },
  {
    use: 'an app in daily use: 4 refreshes, 40 small queries, 5 whole courses',
    requests: { refresh: 4, small: 40, course: 5 },
  },
  {
    use: 'an assistant at work all day: 12 refreshes, 300 small queries, 20 whole courses',
    requests: { refresh: 12, small: 300, course: 20 },
  },
]
const HEADINGS: Readonly<Record<string, string>> = {
  refresh: 'Refresh grant',
  small: 'Member API, `{ viewer { id } }`',
  course: 'Member API, 500 lectures with progress',
}
/** Of a day's requests, so many come in its busiest hour. */
const BUSIEST_HOUR = 0.1
/** So that a failover, a purge or a busy school finds room. */
const USED = 0.5
const CORES = 8

interface Cost {
  readonly node: number
  readonly postgres: number
}

/** CPU of one request in microseconds, as the page about performance has it. */
function costOf(page: string, heading: string): Cost {
  const [, chapter = ''] = page.split(`### ${heading}\n`)
  const [table = ''] = chapter.split('\n### ')
  const cells = (start: string) =>
    (table.split('\n').find((line) => line.startsWith(start)) ?? '')
      .split('|')
      .map((cell) => cell.trim())
  const head = cells('| |')
  const ours = cells('| Schoolgate |')
  const node = Number(ours[head.indexOf('server')])
  const postgres = Number(ours[head.indexOf('PostgreSQL')])
  if (!(node > 0 && postgres >= 0))
    throw new Error(`docs/performance.md has no figures of ${heading}`)
  return { node, postgres }
}

/** The table of docs/guides/sizing.md. */
export function capacityTable(): string {
  const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8')
  const rows = USES.map(({ use, requests }) => {
    const dayOf = (part: keyof Cost) =>
      Object.entries(requests).reduce(
        (sum, [kind, count]) => sum + count * costOf(page, HEADINGS[kind] ?? kind)[part],
        0,
      ) / 1000
    const [node, postgres] = [dayOf('node'), dayOf('postgres')]
    const cells = [
      node.toFixed(1),
      postgres.toFixed(1),
      members(node, 1),
      members(postgres, 1),
      members(postgres, CORES),
    ]
    return `| ${use} | ${cells.join(' | ')} |`
  })
  return [
    `| Use by one member in a day | CPU of servers, ms | CPU of PostgreSQL, ms | Members per core of servers | Members per core of the primary | Members of a primary with ${CORES} cores |`,
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
  ].join('\n')
}

/** Whose busiest hour fits into the cores, rounded down to two digits. */
function members(millisecondsOfDay: number, cores: number): string {
  const exact = (cores * USED * 3_600_000) / (millisecondsOfDay * BUSIEST_HOUR)
  const unit = 10 ** (Math.floor(Math.log10(exact)) - 1)
  return (Math.floor(exact / unit) * unit).toLocaleString('en')
}
