import type { InputProblem, Refusal } from '../../../../../domain/operation/refusal.ts'
import type { FieldRule, PlannedField } from './field-rule.ts'

/** What is wrong, by the name of the field. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>

export interface FormProblems {
  readonly fields: FieldProblems
  /** What is wrong with no field in particular. */
  readonly whole: readonly string[]
}

export const NO_PROBLEMS: FormProblems = { fields: {}, whole: [] }

type Refused = Exclude<Refusal, { kind: 'not_found' }>

/** An operation's refusal, each problem beside the field that its pointer names. */
export function problemsOf(
  refusal: Refused,
  fields: readonly PlannedField[],
  inconsistent: string | undefined,
): FormProblems {
  switch (refusal.kind) {
    case 'stale':
      return { fields: {}, whole: [STALE] }
    case 'forbidden':
      return { fields: {}, whole: [refusal.detail] }
    case 'conflict':
      return sorted([{ ...refusal, pointer: refusal.pointer ?? '' }], fields, inconsistent)
    case 'invalid':
      return sorted(refusal.problems, fields, inconsistent)
  }
}

const STALE =
  'Somebody else saved a change while you were writing. What you wrote is still here: saving now puts it in place of theirs.'

function sorted(
  problems: readonly InputProblem[],
  fields: readonly PlannedField[],
  inconsistent: string | undefined,
): FormProblems {
  const byField: Record<string, string[]> = {}
  const whole: string[] = []
  for (const problem of problems) {
    const name = problem.pointer.split('/')[1] ?? ''
    const field = fields.find((one) => one.name === name)
    if (field === undefined) whole.push(aboutTheWhole(problem, inconsistent))
    else byField[name] = [...new Set([...(byField[name] ?? []), wordsFor(problem, field)])]
  }
  return { fields: byField, whole: [...new Set(whole)] }
}

function aboutTheWhole({ code, detail }: InputProblem, inconsistent: string | undefined): string {
  if (code === 'inconsistent' && inconsistent !== undefined) return inconsistent
  return detail
}

/** Messages of the schema library speak to programmers; those of our own are kept. */
function wordsFor({ code, detail }: InputProblem, { rule, kind }: PlannedField): string {
  if (code === 'taken') return 'This is taken already. Choose another.'
  if (code === 'required' || code === 'wrong_type') return 'Fill this in.'
  if (!/^(?:Invalid|Too (?:big|small))/.test(detail)) return detail
  if (kind === 'choices') return 'Choose at least one.'
  if (kind === 'choice') return 'Choose one of these.'
  return rangeIn(rule) ?? 'Write something else here.'
}

function rangeIn({ minimum, maximum }: FieldRule): string | undefined {
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  if (minimum !== undefined && bounded) return `Write a number from ${minimum} to ${maximum}.`
  if (minimum !== undefined) return `Write a number that is at least ${minimum}.`
  return bounded ? `Write a number that is at most ${maximum}.` : undefined
}

/** Joins what was wrong with the form itself to what the operation found. */
export function withReadingProblems(read: FieldProblems, found: FormProblems): FormProblems {
  return { whole: found.whole, fields: { ...found.fields, ...read } }
}

export function anyProblem({ fields, whole }: FormProblems): boolean {
  return whole.length > 0 || Object.keys(fields).length > 0
}
