import type { InputProblem, Refusal } from '../../../../../domain/operation/refusal.ts'
import type { FieldRule, PlannedField } from './field-rule.ts'

/** Problems by the name of the field. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>

export interface FormProblems {
  readonly fields: FieldProblems
  /** Problems that belong to no field. */
  readonly whole: readonly string[]
}

export const NO_PROBLEMS: FormProblems = { fields: {}, whole: [] }

type Refused = Exclude<Refusal, { kind: 'not_found' }>

/**
 * An operation's refusal, each problem beside the field that its pointer names.
 *
 * @param stale what to say if the object has another version by now
 */
export function problemsOf(
  refusal: Refused,
  fields: readonly PlannedField[],
  stale: string,
): FormProblems {
  switch (refusal.kind) {
    case 'stale':
      return { fields: {}, whole: [stale] }
    case 'forbidden':
      return { fields: {}, whole: [refusal.detail] }
    case 'conflict':
      return sorted([{ ...refusal, pointer: refusal.pointer ?? '' }], fields)
    case 'invalid':
      return sorted(refusal.problems, fields)
  }
}

function sorted(problems: readonly InputProblem[], fields: readonly PlannedField[]): FormProblems {
  const byField: Record<string, string[]> = {}
  const whole: string[] = []
  const lacking = problems.filter(({ code }) => code === 'required').map(nameIn)
  for (const problem of problems) {
    const name = nameIn(problem)
    const field = fields.find((one) => one.name === name)
    if (field !== undefined && isReportedElsewhere(problem, field, lacking)) continue
    if (field === undefined) whole.push(problem.detail)
    else byField[name] = [...new Set([...(byField[name] ?? []), wordsFor(problem, field)])]
  }
  return { fields: byField, whole: [...new Set(whole)] }
}

/** A field that is made from another field gets no message of its own if that field is missing too. */
function isReportedElsewhere(
  { code }: InputProblem,
  { rule, suggest }: PlannedField,
  lacking: readonly string[],
): boolean {
  return code === 'required' && rule.suggested && lacking.includes(suggest?.from ?? '')
}

function nameIn({ pointer }: InputProblem): string {
  return pointer.split('/')[1] ?? ''
}

function wordsFor({ code, detail }: InputProblem, { rule, kind }: PlannedField): string {
  if (code === 'taken') return 'This is taken already. Choose another.'
  if (kind === 'choice' && (code === 'required' || code === 'invalid_value')) {
    return 'Choose one of these.'
  }
  if (code === 'required' || code === 'wrong_type') return 'Fill this in.'
  if (code !== 'too_small' && code !== 'too_big') return detail
  return rangeIn(rule) ?? detail
}

function rangeIn({ minimum, maximum }: FieldRule): string | undefined {
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  if (minimum !== undefined && bounded) return `Write a number from ${minimum} to ${maximum}.`
  if (minimum !== undefined) return `Write a number that is at least ${minimum}.`
  return bounded ? `Write a number that is at most ${maximum}.` : undefined
}

/** Joins the problems of reading the form to those that the operation found. */
export function withReadingProblems(read: FieldProblems, found: FormProblems): FormProblems {
  return { whole: found.whole, fields: { ...found.fields, ...read } }
}

export function anyProblem({ fields, whole }: FormProblems): boolean {
  return whole.length > 0 || Object.keys(fields).length > 0
}
