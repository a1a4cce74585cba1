import { readFileSync, writeFileSync } from 'node:fs'

/** What all runs together have tried. A trace is made of its number, so the next run goes on after it. */
export interface TraceRecord {
  traces: number
  steps: number
  /** Steps during which a server lost its connections to the database. */
  disturbed: number
  restarts: number
  /** Traces in which the server did something else than the model. */
  readonly differences: { readonly trace: number; readonly said: string }[]
}

const FILE = new URL('record.json', import.meta.url)

export function readRecord(): TraceRecord {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function writeRecord(record: TraceRecord): void {
  writeFileSync(FILE, `${JSON.stringify(record, null, 2)}\n`)
}
