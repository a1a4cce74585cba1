import { readFileSync, writeFileSync } from 'node:fs'
import type { Result } from './result.ts'

const RECORD = new URL('./record.json', import.meta.url)
const PAGE = new URL('../../../docs/reliability.md', import.meta.url)

/** The last result of every scenario, and the machine of the last run. */
export interface Recorded {
  readonly machine: string
  readonly results: readonly Result[]
}

export function readRecord(): Recorded {
  return JSON.parse(readFileSync(RECORD, 'utf8'))
}

export function writeRecord(record: Recorded, page: string): void {
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
  writeFileSync(PAGE, page)
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
