import { randomBytes } from 'node:crypto'
import {
  checkInput,
  type Outcome,
  refusalFrom,
  type WriteOperation,
} from '../../../../domain/operation/operation.ts'
import type { Notices } from '../../frame/layout.tsx'
import { capitalized } from '../../frame/words.ts'
import { OVERWRITES } from '../frame/changes-in-form.tsx'
import type { OperatorVisit } from '../frame/operator.ts'
import {
  anyProblem,
  type FormProblems,
  type PlannedField,
  problemsOf,
  withReadingProblems,
} from './field-rules.ts'
import { statusOf } from './named.ts'
import { type Draft, readForm } from './read-form.ts'
import type { AdminResource } from './resource.ts'
import type { Row } from './row.ts'

export interface Submission {
  readonly operation: WriteOperation
  readonly fields: readonly PlannedField[]
  /** Members of the input that the form does not ask for. */
  readonly fixed: Row
  readonly before?: Row | undefined
  /** The object that an action is about. */
  readonly about?: Row | undefined
}

export type Submitted =
  | { readonly kind: 'done'; readonly output: Row }
  | {
      readonly kind: 'refused'
      readonly draft: Draft
      readonly problems: FormProblems
      readonly status: number
      /** Whether the object was changed after the form was opened. */
      readonly isStale: boolean
    }
  | { readonly kind: 'not_found'; readonly detail: string }

/** Reads a form and performs its operation. The page shows the problems of both at once. */
export async function submitForm(
  visit: OperatorVisit,
  form: URLSearchParams,
  { operation, fields, fixed, before, about }: Submission,
): Promise<Submitted> {
  const { place, ask } = visit
  const read = await readForm(fields, form, { place, ask, before, about })
  const input = { ...read.input, ...fixed }
  if (Object.keys(read.problems).length > 0) {
    const problems = withReadingProblems(read.problems, judged(operation, fields, input))
    return { kind: 'refused', draft: read.draft, problems, status: 422, isStale: false }
  }
  const outcome = await performNamed(visit, operation, input, madeIn(fields, form))
  if (outcome.kind === 'done' || outcome.kind === 'not_found') return outcome
  const problems = problemsOf(outcome, fields, before === undefined ? CHANGED : OVERWRITES)
  return {
    kind: 'refused',
    draft: read.draft,
    problems,
    status: statusOf(outcome),
    isStale: outcome.kind === 'stale',
  }
}

/** The field that was left empty and made from another one, such as the address from the title. */
function madeIn(fields: readonly PlannedField[], form: URLSearchParams): string | undefined {
  return fields.find(({ name, rule }) => rule.suggested && (form.get(name) ?? '').trim() === '')
    ?.name
}

const COUNTED_NAMES = ['-2', '-3', '-4', '-5']

/**
 * Performs it again with another ending while the name that we made is taken: its author did not
 * choose it.
 */
async function performNamed(
  visit: OperatorVisit,
  operation: WriteOperation,
  input: Row,
  made: string | undefined,
): Promise<Outcome<Row>> {
  let outcome: Outcome<Row> = await visit.perform(operation, input)
  if (made === undefined) return outcome
  for (const ending of [...COUNTED_NAMES, `-${randomBytes(4).toString('hex')}`]) {
    if (outcome.kind !== 'conflict' || outcome.code !== 'taken') break
    if (outcome.pointer !== `/${made}`) break
    const name = String(input[made])
      .slice(0, 80 - ending.length)
      .replace(/-$/, '')
    outcome = await visit.perform(operation, { ...input, [made]: `${name}${ending}` })
  }
  return outcome
}

/** For an action, which a second click must not repeat. */
const CHANGED = 'This changed after you opened the page. Look at it as it is now before you go on.'

/** Checks the other fields against the operation's schema when some fields could not be read. */
function judged(
  operation: WriteOperation,
  fields: readonly PlannedField[],
  input: Row,
): FormProblems {
  try {
    checkInput(operation, input)
    return { fields: {}, whole: [] }
  } catch (error) {
    const refusal = refusalFrom(error)
    if (refusal.kind === 'not_found') return { fields: {}, whole: [] }
    const found = problemsOf(refusal, fields, CHANGED)
    return anyProblem(found) ? { ...found, whole: [] } : found
  }
}

/** The version of the object that the form was made from. */
export function seenVersion(form: URLSearchParams, name = 'if_version'): number | undefined {
  const version = Number(form.get(name))
  return Number.isInteger(version) && version > 0 ? version : undefined
}

/**
 * The version that the form was made from, so that a save never overwrites a change that its author
 * did not see.
 */
export function versionIn(operation: WriteOperation, form: URLSearchParams, name?: string): Row {
  const version = seenVersion(form, name)
  return 'if_version' in operation.input.shape && version !== undefined
    ? { if_version: version }
    : {}
}

/**
 * An object with the version that the form was made from, so that showing the form again does not
 * hide a change.
 */
export function asSeen(object: Row, form: URLSearchParams): Row {
  const version = seenVersion(form)
  return version === undefined ? object : { ...object, version }
}

/**
 * The object whose version a refused form carries. Only a page that shows both versions may carry
 * the newest one: after any other refusal the author has not seen the change of another person, and
 * the next save must still find it.
 */
export function shownAgain(
  before: Row,
  form: URLSearchParams,
  { isStale }: { readonly isStale: boolean },
): Row {
  return isStale ? before : asSeen(before, form)
}

export function versionField(operation: WriteOperation, object: Row): Record<string, string> {
  return 'if_version' in operation.input.shape && typeof object.version === 'number'
    ? { if_version: String(object.version) }
    : {}
}

/** The notices after a post, by the key in the address. */
export function noticesOf(resource: AdminResource): Notices {
  const { actions, related = [] } = resource
  return {
    created: `${capitalized(resource.one)} created.`,
    saved: 'Saved.',
    started: 'This takes a while. You can leave the page: the work goes on.',
    selected: 'Done with all selected rows.',
    'selected-one': 'Done with the selected row.',
    uploaded: 'The file is in place.',
    ...Object.fromEntries(
      related
        .filter(({ of }) => of.created !== undefined)
        .map(({ of }) => [createdKey(of), of.created]),
    ),
    ...Object.fromEntries(actions.map(({ path, done }) => [path, done])),
  }
}

/** An object without a page of its own is reported on the page of its parent. */
export function createdKey({ created, path }: AdminResource): string {
  return created === undefined ? 'created' : `created-${path}`
}
