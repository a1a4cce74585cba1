import { readFileSync, writeFileSync } from 'node:fs'
import type { Finding, FuzzReport, SurfaceCount } from './fuzz.ts'

/**
 * What all runs of `npm run attack` have sent so far. It is in git, so that the next run goes on.
 */
export interface FuzzRecord {
  /** Worlds, each with the seed of its number and the same number of inputs. */
  worlds: number
  inputs: number
  readonly findings: Finding[]
  /** What was found in earlier runs and is mended, each in a sentence. */
  readonly mended: readonly string[]
  readonly counts: SurfaceCount[]
}

const FILE = new URL('record.json', import.meta.url)

export function readRecord(): FuzzRecord {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function addToRecord(record: FuzzRecord, inputs: number, report: FuzzReport): void {
  record.worlds += 1
  record.inputs += inputs
  record.findings.push(...report.findings.slice(0, 10))
  for (const { surface, inputs: sent, statuses, longest } of report.counts) {
    let sum = record.counts.find((one) => one.surface === surface)
    if (sum === undefined) {
      sum = { surface, inputs: 0, statuses: {}, longest: 0 }
      record.counts.push(sum)
    }
    sum.inputs += sent
    sum.longest = Math.max(sum.longest, longest)
    for (const [group, times] of Object.entries(statuses)) {
      sum.statuses[group] = (sum.statuses[group] ?? 0) + times
    }
  }
  writeFileSync(FILE, `${JSON.stringify(record, null, 2)}\n`)
}
