import type { SchoolContent } from './content/school-content.ts'
import type { DemoClock } from './demo-clock.ts'
import { demoId } from './demo-id.ts'
import type { RowSet } from './row-set.ts'

/** One school of the demo world while its rows are collected. */
export interface Stage {
  readonly school: SchoolContent
  readonly schoolId: string
  readonly clock: DemoClock
  readonly rows: RowSet
}

export function schoolId(school: SchoolContent): string {
  return demoId(`school/${school.key}`)
}

/** The id of an object of the school: `idAt(stage, 'course', slug)`. */
export function idAt(stage: Stage, kind: string, name: string): string {
  return demoId(`${stage.school.key}/${kind}/${name}`)
}

/** Prices are written in whole units; every currency here has two minor digits (ISO 4217). */
export function minorUnits(price: number): number {
  return price * 100
}
