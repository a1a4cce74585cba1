import {
  type ConformanceId,
  type ConformanceModule,
  conformancePlans,
} from './conformance-modules.ts'
import { othersTrouble, type TroubleId } from './others-trouble.ts'
import type { Area } from './requirements/chapter.ts'
import { type RequirementId, requirements } from './requirements.ts'
import { type Rfc9700Id, type Rfc9700Row, rfc9700 } from './rfc9700.ts'

/** Ids for `verifies`: our promises, conformance modules, RFC 9700, problems of other servers. */
export type SpecId = RequirementId | ConformanceId | Rfc9700Id | TroubleId

export type LedgerArea = Area | 'conformance' | 'rfc9700' | 'trouble'

/** One line of the ledger. */
export interface Statement {
  readonly id: string
  readonly area: LedgerArea
  readonly says: string
  /** False for a row with a stated deviation. */
  readonly needsTest: boolean
}

const modules: readonly ConformanceModule[] = conformancePlans.flatMap(({ modules }) => [
  ...modules,
])
const recommendations: readonly Rfc9700Row[] = rfc9700

export const statements: readonly Statement[] = [
  ...requirements.map(({ id, area, says }) => ({ id, area, says, needsTest: true })),
  ...modules.map(({ name, asserts, deviation }) => ({
    id: name,
    area: 'conformance' as const,
    says: asserts,
    needsTest: deviation === undefined,
  })),
  ...recommendations.map(({ id, asserts, deviation }) => ({
    id,
    area: 'rfc9700' as const,
    says: asserts,
    needsTest: deviation === undefined,
  })),
  ...othersTrouble.map(({ id, lesson }) => ({
    id,
    area: 'trouble' as const,
    says: lesson,
    needsTest: true,
  })),
]
