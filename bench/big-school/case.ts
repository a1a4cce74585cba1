import type { Asked } from './asking.ts'
import type { Callers } from './callers.ts'

/** One row of the report: the same question at both schools. */
export interface Case {
  readonly group: string
  readonly name: string
  /** Undefined if the school has nothing to ask for. */
  ask(callers: Callers): Asked | undefined
}
