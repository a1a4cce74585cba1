import { readFileSync, writeFileSync } from 'node:fs'
import type { TraceEnd } from './run.ts'

/**
 * What all runs together have tried. A trace is made of its number, so the next run goes on after
 * it.
 */
export interface TraceRecord {
  traces: number
  steps: number
  /** Steps whose request met a fault, if there was a token or code to send. */
  disturbed: number
  /** Each hit all requests that were in flight. */
  faults: number
  restarts: number
  /** Traces in which the server did something else than the model. */
  readonly differences: { readonly trace: number; readonly said: string }[]
}

const FILE = new URL('record.json', import.meta.url)
/** A run that is killed loses no more than this. */
const WRITE_EVERY_MS = 20_000

/**
 * Traces end in another order than they begin. The record has those before which none is missing.
 */
export class RecordKeeper {
  readonly record: TraceRecord = JSON.parse(readFileSync(FILE, 'utf8'))
  readonly #counts: () => { readonly faults: number; readonly restarts: number }
  readonly #before = { faults: this.record.faults, restarts: this.record.restarts }
  readonly #ended = new Map<number, TraceEnd>()
  #writtenAt = Date.now()

  constructor(counts: () => { readonly faults: number; readonly restarts: number }) {
    this.#counts = counts
  }

  add(end: TraceEnd): void {
    this.#ended.set(end.trace, end)
    const { record } = this
    for (;;) {
      const next = this.#ended.get(record.traces)
      if (next === undefined) break
      this.#ended.delete(record.traces)
      record.traces += 1
      record.steps += next.steps
      record.disturbed += next.disturbed
      if (next.difference !== undefined) {
        record.differences.push({ trace: next.trace, said: next.difference })
      }
    }
    if (Date.now() - this.#writtenAt > WRITE_EVERY_MS) this.write()
  }

  write(): void {
    this.#writtenAt = Date.now()
    const { faults, restarts } = this.#counts()
    this.record.faults = this.#before.faults + faults
    this.record.restarts = this.#before.restarts + restarts
    writeFileSync(FILE, `${JSON.stringify(this.record, null, 2)}\n`)
  }
}
