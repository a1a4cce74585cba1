import { mkdirSync, writeFileSync } from 'node:fs'

/** One part of docs/security-report.md. */
export interface ReportPart {
  /** Where it stands: cost 10, fuzz 20, other schools 30, flood 40. */
  readonly order: number
  readonly title: string
  /** Sentences before the table. */
  readonly lead: readonly string[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

const RESULTS = new URL('../results/', import.meta.url)

/** Keeps the result of an attack until the report is written. */
export function keepPart(name: string, part: ReportPart): void {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify(part, null, 2)}\n`)
}
