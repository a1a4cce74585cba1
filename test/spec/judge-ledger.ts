import { commandOf, type Verification } from './read-verifications.ts'
import type { LedgerArea, Statement } from './spec.ts'

export interface Coverage {
  readonly area: LedgerArea
  /** Statements with a test, or with a stated deviation. */
  readonly settled: number
  /** Ids of those whose tests run in `npm run test:all` alone. */
  readonly slow: readonly string[]
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
  const idsIn = (some: readonly Verification[]) => new Set(some.flatMap(({ ids }) => ids))
  const named = idsIn(verifications)
  const quick = idsIn(verifications.filter(({ file }) => commandOf(file) === 'npm test'))
  const areas = [...new Set(statements.map(({ area }) => area))]
  return areas.map((area) => {
    const own = statements.filter((statement) => statement.area === area)
    const settled = own.filter(({ id, needsTest }) => !needsTest || named.has(id))
    const slow = own.flatMap(({ id }) => (named.has(id) && !quick.has(id) ? id : []))
    return { area, settled: settled.length, slow, total: own.length }
  })
}
