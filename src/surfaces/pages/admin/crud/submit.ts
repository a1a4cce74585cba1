import { randomBytes } from 'node:crypto'
import {
  checkInput,
  type Outcome,
  refusalFrom,
  type WriteOperation,
} from '../../../../domain/operation/operation.ts'
import type { Notices } from '../../frame/layout.tsx'
import { capitalized } from '../../frame/words.ts'
import {
  changesIn,
  OVERWRITES,
  type ShownDigests,
  shownDigests,
} from '../frame/changes-in-form.tsx'
import type { OperatorVisit, Place } from '../frame/operator.ts'
import {
  anyProblem,
  type FormProblems,
  type PlannedField,
  problemsOf,
  withReadingProblems,
} from './field-rules.ts'
import { statusOf } from './named.ts'
import { comparable, type Draft, draftOf, readForm, typedDraft } from './read-form.ts'
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
      /** The fields that another person changed, too, after the form was opened. */
      readonly overwritten: readonly string[]
      /** For the form when it is shown again. */
      readonly shown: ShownDigests
      /** Whether another save came between. */
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
  const changes = before && changesBy(fields, form, before, place)
  const { overwritten = [], shown = {} } = changes ?? {}
  const changed = changes && Object.keys(changes.changes)
  const read = await readForm(fields, form, { place, ask, before, about, changed })
  const refused = {
    kind: 'refused',
    draft: read.draft,
    overwritten,
    shown,
    isStale: false,
  } as const
  const input = { ...read.input, ...fixed }
  const isUnread = Object.keys(read.problems).length > 0
  if (isUnread || overwritten.length > 0) {
    const found = withReadingProblems(read.problems, judged(operation, fields, input))
    const [status, whole] = overwritten.length > 0 ? [409, [OVERWRITES]] : [422, found.whole]
    return { ...refused, problems: { fields: found.fields, whole }, status }
  }
  const outcome = await performNamed(visit, operation, input, madeIn(fields, form))
  if (outcome.kind === 'done' || outcome.kind === 'not_found') return outcome
  const isStale = outcome.kind === 'stale'
  return {
    ...refused,
    problems: problemsOf(outcome, fields, CHANGED),
    status: statusOf(outcome),
    isStale,
  }
}

/** What the author of a form has changed, compared as the texts of its fields. */
export function changesBy(
  fields: readonly PlannedField[],
  form: URLSearchParams,
  saved: Row,
  place: Place,
) {
  const typed = comparable(typedDraft(fields, form))
  const together = (name: string) => fields.find((field) => field.name === name)?.meansWith ?? []
  return changesIn(form, typed, comparable(draftOf(fields, saved, place)), together)
}

/** Of a form that was opened just now. */
export function shownBy(fields: readonly PlannedField[], saved: Row, place: Place): ShownDigests {
  return shownDigests(comparable(draftOf(fields, saved, place)))
}

/**
 * Changes the object as it is now, and once more if another save came between: the version of the
 * object is that of the moment before, so that no rule is judged by what is gone.
 */
export async function submitChange(
  visit: OperatorVisit,
  form: URLSearchParams,
  load: () => Promise<Row>,
  { operation, fields, fixed }: Submission,
): Promise<{ readonly before: Row; readonly outcome: Submitted }> {
  for (let tries = 1; ; tries += 1) {
    const before = await load()
    const outcome = await submitForm(visit, form, {
      operation,
      fields,
      fixed: { ...fixed, ...versionOf(operation, before) },
      before,
    })
    const isLost = outcome.kind === 'refused' && outcome.isStale
    if (!isLost || tries === MOST_TRIES) return { before, outcome }
  }
}

const MOST_TRIES = 3

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

function versionOf(operation: WriteOperation, { version }: Row): Row {
  return 'if_version' in operation.input.shape && typeof version === 'number'
    ? { if_version: version }
    : {}
}

/** For the form of an action, which is about the object as its author saw it. */
export function versionField(operation: WriteOperation, object: Row): Record<string, string> {
  return Object.fromEntries(
    Object.entries(versionOf(operation, object)).map(([name, version]) => [name, String(version)]),
  )
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
