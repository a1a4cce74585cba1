import type { z } from 'zod'
import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { ReasonCode } from '../../foundation/errors/catalogue.ts'
import type { Actor } from '../actor/actor.ts'
import { type InputProblem, OperationRefused, type Refusal } from './refusal.ts'
import { loadObject, type Resource } from './resource.ts'
import { checkVersion, type Target } from './writing.ts'

/**
 * A rule about a whole row as it would be written. Create, change and import judge a row by the
 * same list of rules; the constraints of the table only catch what two writes at the same time
 * could break.
 */
export interface RowRule<R> {
  /** The field to correct. */
  readonly field: keyof R & string
  readonly code: ReasonCode
  readonly detail: string
  /** Set if the row is valid by itself, but the state of the object does not allow it. */
  readonly kind?: 'conflict'
  /**
   * @param before the stored object; undefined for a new one
   * @param now for rules about past and future
   */
  broken(row: R, before: R | undefined, now: number): boolean
}

export type RowRules<R> = readonly RowRule<R>[]

/** The refusal of a row, with one problem per field; undefined if it breaks no rule. */
export function judgeRow<R>(
  rules: RowRules<R>,
  row: R,
  before: R | undefined,
  now: number,
): Refusal | undefined {
  let problems: InputProblem[] | undefined
  for (const rule of rules) {
    if (!rule.broken(row, before, now)) continue
    const { kind, code, detail } = rule
    if (kind === 'conflict') return { kind, code, detail }
    const pointer = `/${rule.field}`
    if (problems?.some((other) => other.pointer === pointer) === true) continue
    problems ??= []
    problems.push({ pointer, code, detail })
  }
  return problems === undefined ? undefined : { kind: 'invalid', problems }
}

/** Throws the refusal of a row that breaks a rule. */
export function checkRow<R>(rules: RowRules<R>, row: R, before?: R): void {
  const refusal = judgeRow(rules, row, before, Date.now())
  if (refusal !== undefined) throw new OperationRefused(refusal)
}

/** Whether both times are given and the second is not after the first. */
export function endsTooEarly(
  starts: string | null | undefined,
  ends: string | null | undefined,
): boolean {
  return starts != null && ends != null && Date.parse(ends) <= Date.parse(starts)
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

/**
 * Checks the version of an object, locks it, and judges it as it would be after a change. Undefined
 * columns stay unchanged.
 */
export async function checkChange<S extends z.ZodObject>(
  tx: SchoolTx,
  caller: Pick<Actor, 'origin'>,
  resource: Resource<S>,
  rules: RowRules<z.output<S>>,
  [table, target]: readonly [TenantTable, Target & { readonly key: { readonly id: string } }],
  columns: Given<z.output<S>>,
): Promise<void> {
  await checkVersion(tx, table, target)
  const before = await loadObject(tx, caller, resource, target.key.id)
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  checkRow(rules, { ...before, ...Object.fromEntries(given) }, before)
}
