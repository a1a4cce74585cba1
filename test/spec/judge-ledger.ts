import type { Verification } from './read-verifications.ts'
import type { LedgerArea, Statement } from './spec.ts'

export interface Coverage {
  readonly area: LedgerArea
  /** Statements with a test, or with a stated deviation. */
  readonly settled: number
  readonly total: number
}

export function duplicateIds(statements: readonly Statement[]): string[] {
  const seen = new Set<string>()
  return statements.map(({ id }) => id).filter((id) => seen.size === seen.add(id).size)
}

/** Calls that name an undefined id, as `file:line id`. */
export function unknownIds(
  statements: readonly Statement[],
  verifications: readonly Verification[],
): string[] {
  const known = new Set(statements.map(({ id }) => id))
  return verifications.flatMap(({ file, line, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${file}:${line} ${id}`),
  )
}

/** Promises of finished areas that no test names, as `id: sentence`. */
export function unproven(
  statements: readonly Statement[],
  verifications: readonly Verification[],
  finished: readonly LedgerArea[],
): string[] {
  const named = new Set(verifications.flatMap(({ ids }) => ids))
  return statements
    .filter(({ area, needsTest }) => needsTest && finished.includes(area))
    .filter(({ id }) => !named.has(id))
    .map(({ id, says }) => `${id}: ${says}`)
}

export function coverage(
  statements: readonly Statement[],
  verifications: readonly Verification[],
): Coverage[] {
  const named = new Set(verifications.flatMap(({ ids }) => ids))
  const areas = [...new Set(statements.map(({ area }) => area))]
  return areas.map((area) => {
    const own = statements.filter((statement) => statement.area === area)
    const settled = own.filter(({ id, needsTest }) => !needsTest || named.has(id))
    return { area, settled: settled.length, total: own.length }
  })
}

/** Two sentences that share a run of words say the same thing: `id and id: "the words"`. */
export function sharedRuns(statements: readonly Statement[], length = 8): string[] {
  const firstBy = new Map<string, string>()
  const shared: string[] = []
  for (const { id, says } of statements) {
    const words = says.toLowerCase().match(/[\p{L}\p{N}_]+(?:[:./-][\p{L}\p{N}_]+)*/gu) ?? []
    for (let start = 0; start + length <= words.length; start++) {
      const run = words.slice(start, start + length).join(' ')
      const other = firstBy.get(run)
      if (other === undefined) firstBy.set(run, id)
      else if (other !== id) shared.push(`${other} and ${id}: "${run}"`)
    }
  }
  return shared
}
