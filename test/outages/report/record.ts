import { readFileSync, writeFileSync } from 'node:fs'
import type { Overload } from './overload.ts'
import { pageOf } from './page.ts'
import type { Result } from './result.ts'

const RECORD = new URL('./record.json', import.meta.url)
const PAGE = new URL('../../../docs/reliability.md', import.meta.url)

/** The last result of every scenario, and the machine of the last run. */
export interface Recorded {
  readonly machine: string
  readonly results: readonly Result[]
  readonly overload?: Overload
}

export function readRecord(): Recorded {
  return JSON.parse(readFileSync(RECORD, 'utf8'))
}

/** Writes the page, too. */
export function writeRecord(record: Recorded): void {
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
  writeFileSync(PAGE, pageOf(record))
}

/** The rows of a run replace earlier ones; the order is that of the scenarios. */
export function merge(
  names: readonly string[],
  earlier: readonly Result[],
  now: readonly Result[],
): readonly Result[] {
  return names.flatMap(
    (name) =>
      now.find((result) => result.name === name) ??
      earlier.find((result) => result.name === name) ??
      [],
  )
}
