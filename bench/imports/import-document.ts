import { availableParallelism, cpus } from 'node:os'
import type { ContestKind } from './contest-kind.ts'
import type { Figures } from './measure-import.ts'
import type { MemoryTrace } from './trace-memory.ts'

export interface Imported {
  readonly contest: ContestKind
  readonly floor: Figures
  /** The import into a school without these rows, and of the same file again. */
  readonly first: Figures
  readonly again: Figures
}

const BAR = 20_000

/** The whole of docs/performance-import.md. */
export function importDocument(
  imported: readonly Imported[],
  rows: number,
  trace: MemoryTrace,
): string {
  const slowest = Math.min(...imported.map(({ first }) => first.rowsPerSecond))
  const n = (value: number) => Math.round(value).toLocaleString('en')
  return `# Import

Measured by \`npm --prefix bench run import\` on ${new Date().toISOString().slice(0, 10)}; this file is its output.

Files of ${n(rows)} rows in NDJSON, read from disk and written by the function that the Admin API and the command
line call. The floor does the least work: it parses lines, checks nothing, knows every id already, and writes a
thousand rows with one hand-written \`insert … select from unnest …\` on one connection; an import uses two.

- **Machine**: ${availableParallelism()} cores (${cpus()[0]?.model.trim() || process.arch}), shared with other work; Node ${process.versions.node}, PostgreSQL 18 without
  disk flush, on the same cores. CPU time means more than rows per second.
- **Memory** is the maximum of the process up to a tenth of the rows, and up to the end. It rises until Node
  collects garbage; the memory that stays in use is below the table.
- **Stall** is the longest time that other work waited for the event loop.

Bar: ${n(BAR)} rows per second; the slowest of these ${imported.length} of our 27 kinds reached ${n(slowest)}${slowest >= BAR ? '' : ', **not met**'}.

${importTable(imported)}
${memoryParagraph(trace)}
`
}

/** Shows whether a longer file needs more memory. */
export function memoryParagraph({ rows, held, rssEarly, rssPeak }: MemoryTrace): string {
  const [least, most] = [Math.min(...held), Math.max(...held)]
  return `A file of ${rows.toLocaleString('en')} notifications: memory in use after a full garbage collection, in MB, at each
tenth of the file: ${held.map((bytes) => megabytes(bytes).toFixed(1)).join(', ')}; the difference between minimum
and maximum is ${megabytes(most - least).toFixed(1)} MB. The process took at most ${megabytes(rssEarly).toFixed(0)} MB up to a tenth of the rows, and ${megabytes(rssPeak).toFixed(0)} MB up to the end.`
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024
}

export function importTable(imported: readonly Imported[]): string {
  return [
    '| | rows/s | × floor | CPU µs per row | Node | PostgreSQL | memory MB, a tenth / all | stall ms | cores busy elsewhere |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...imported.flatMap(({ contest, floor, first, again }) => [
      line(`${contest.title}: floor`, floor, floor),
      line('Schoolgate', first, floor),
      line('Schoolgate, the same file again', again, floor),
    ]),
    '',
  ].join('\n')
}

function line(title: string, figures: Figures, floor: Figures): string {
  const { rowsPerSecond, node, postgres, rssEarly, rssPeak, stall, others } = figures
  const cells = [
    title,
    Math.round(rowsPerSecond),
    ((node + postgres) / (floor.node + floor.postgres)).toFixed(2),
    (node + postgres).toFixed(1),
    node.toFixed(1),
    postgres.toFixed(1),
    `${megabytes(rssEarly).toFixed(0)} / ${megabytes(rssPeak).toFixed(0)}`,
    stall.toFixed(0),
    others.toFixed(1),
  ]
  return `| ${cells.join(' | ')} |`
}
