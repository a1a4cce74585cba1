import type { Load, OverloadFigures } from '../overload.ts'

type Figures = Omit<OverloadFigures, 'loads'> & {
  readonly loads: readonly Pick<Load, 'answers' | 'retryAfterMissing'>[]
}

/** What a measurement of overload says in the table. */
export interface OverloadRow {
  readonly kind: string
  /** Good answers in a second. */
  readonly peak: number
  readonly atFourTimes: number
  readonly afterwards: number
  /** The longest wait for a good answer at any load. */
  readonly longestMs: number
}

export interface Overload {
  readonly day: string
  readonly rows: readonly OverloadRow[]
  readonly problems: readonly string[]
}

const AT_FOUR_TIMES = 0.8
const AFTERWARDS = 0.9

export function overloadOf(figures: readonly Figures[], day: string): Overload {
  const rows = figures.map(({ kind, peak, atFourTimes, afterwards, loads }) => ({
    ...{ kind, peak, atFourTimes, afterwards },
    longestMs: Math.max(
      ...loads.flatMap(({ answers }) => Object.values(answers)).map(({ most }) => most),
    ),
  }))
  const missing = figures.flatMap(({ loads }) => loads).filter((load) => load.retryAfterMissing > 0)
  return {
    day,
    rows,
    problems: [
      ...rows
        .filter(({ peak, atFourTimes }) => atFourTimes < peak * AT_FOUR_TIMES)
        .map(({ kind }) => `${kind}: less than 80 % of the peak with four times its connections`),
      ...rows
        .filter(({ peak, afterwards }) => afterwards < peak * AFTERWARDS)
        .map(({ kind }) => `${kind}: slower afterwards than before`),
      ...(missing.length > 0 ? ['503 without Retry-After'] : []),
    ],
  }
}

/** A section of docs/reliability.md; empty if it was not measured. */
export function overloadSection(overload: Overload | undefined): string {
  if (overload === undefined) return ''
  const { day, rows, problems } = overload
  const lines = rows.map(({ kind, peak, atFourTimes, afterwards, longestMs }) => {
    const share = `${Math.round((atFourTimes / peak) * 100)} %`
    const cells = [kind, peak, atFourTimes, share, afterwards].map((cell) =>
      typeof cell === 'number' ? Math.round(cell).toLocaleString('en-US') : cell,
    )
    return `| ${[...cells, (longestMs / 1000).toFixed(1)].join(' | ')} |`
  })
  return `## Overload

Clients that never pause, with as many connections as give nine tenths of the highest throughput, then four times as many, then
as many as before, five times; a rate is compared with those just before and after it, and the median is shown. A second is one
that the machine's host left to the server. The server and its PostgreSQL have one core, the clients another. What does not fit is 503 with \`Retry-After\`.
Measured on ${day} by \`npm run outages -- overload\`; \`npm run overload\` measures more kinds of requests.

| Requests | At the peak, a second | With four times the connections | | Afterwards | Longest wait, s |
| --- | ---: | ---: | ---: | ---: | ---: |
${lines.join('\n')}
${problems.map((problem) => `\n**Failed**: ${problem}\n`).join('')}
`
}
