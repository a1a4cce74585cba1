import { readFileSync, writeFileSync } from 'node:fs'
import type { Findings } from '../drive/tried-client.ts'

const RECORD = new URL('./record.json', import.meta.url)

/** The last result of a client. */
export interface Row extends Findings {
  readonly name: string
  readonly version: string
  readonly date: string
}

export function readRecord(): readonly Row[] {
  return JSON.parse(readFileSync(RECORD, 'utf8'))
}

/** The rows of a run replace earlier ones; the order is that of `names`. */
export function keepRows(names: readonly string[], rows: readonly Row[]): void {
  const earlier = readRecord()
  const all = names.flatMap((name) =>
    [...rows, ...earlier].filter((row) => row.name === name).slice(0, 1),
  )
  writeFileSync(RECORD, `${JSON.stringify(all, null, 2)}\n`)
}
