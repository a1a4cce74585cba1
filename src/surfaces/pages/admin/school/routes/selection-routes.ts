import type { FastifyInstance } from 'fastify'
import type { Outcome } from '../../../../../domain/operation/operation.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { redirectTo, sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import { isNameTyped } from '../../../views/confirm-name.tsx'
import { asking } from '../field.ts'
import { blankDraft } from '../form/draft.ts'
import { planForm } from '../form/field-rule.ts'
import { NO_PROBLEMS } from '../form/problems.ts'
import { readForm, typedDraft } from '../form/read-form.ts'
import { type AdminResource, afterWrite, listPath, type ManyAction } from '../resource.ts'
import type { Row } from '../row.ts'
import {
  asksForNumber,
  type FailedRow,
  selectionPage,
  versionName,
} from '../views/selection-page.tsx'
import { asksToBeShown, findTextsIn, SHOWS_AGAIN, shownFields } from './choices.ts'
import { seenVersion, versionIn } from './submit.ts'
import { enter, expanding, type Visit } from './visit.ts'

/** More than a page of a list has. */
const MOST_ROWS = 50

/** What can be done with several rows: actions that need nothing but the object, and those that ask once for all. */
export function actionsForMany({ actions, forMany = [] }: AdminResource): readonly ManyAction[] {
  const alike = actions.flatMap((action): ManyAction[] => {
    const { path, label, does, consequence, consequenceOfMany, tone, when } = action
    if ('operation' in does || consequenceOfMany === undefined) return []
    // What is said of one object may depend on it.
    const consequenceOfOne = typeof consequence === 'string' ? consequence : does.summary
    return [
      {
        ...{ path, label, by: 'id', does: asking(does, []), consequenceOfOne },
        consequence: consequenceOfMany,
        ...(tone && { tone }),
        ...(when && { when }),
      },
    ]
  })
  return [...forMany, ...alike]
}

/** Where the list sends what is selected. */
export function selectionPath(resource: AdminResource): string {
  return `${listPath(resource)}/selected`
}

/** One action for the rows that were selected in a list. Each row is judged by the same operation as on its own page. */
export function addSelectionRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  const actions = actionsForMany(resource)
  if (resource.list === undefined || actions.length === 0) return
  const plans = new Map(
    actions.map((one) => [one.path, planForm(one.does.operation, one.does.fields)]),
  )
  const path = selectionPath(resource)
  const asked = (from: URLSearchParams) => ({
    action: actions.find((one) => one.path === from.get('action')),
    ids: [...new Set(from.getAll('id').filter(isUuid))].slice(0, MOST_ROWS),
  })
  const back = { url: listPath(resource), label: resource.many }
  const show = async (
    visit: Visit,
    { action, ids }: { action: ManyAction | undefined; ids: readonly string[] },
    form = new URLSearchParams(),
    { problems = NO_PROBLEMS, isWrongNumber = false } = {},
  ) => {
    const objects: Row[] = []
    for (const id of ids) {
      const found = await readOne(visit, resource, id)
      if (found.kind !== 'done') continue
      const version = seenVersion(form, versionName(id))
      objects.push(version === undefined ? found.output : { ...found.output, version })
    }
    const fields = plans.get(action?.path ?? '') ?? []
    const draft = form.has('action') ? typedDraft(fields, form) : blankDraft(fields, visit.place)
    return selectionPage({
      ...{ ...visit.frame(), resource, action, objects, path, back, problems, isWrongNumber },
      fields: await shownFields(fields, draft, problems.fields, visit.ask, {
        texts: findTextsIn(form),
      }),
    })
  }

  app.get(path, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const { action = actions[0], ids } = asked(queryOf(request))
    return sendPage(reply, request, 'site', await show(visit, { action, ids }))
  })

  app.post(path, SHOWS_AGAIN, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const { action, ids } = asked(form)
    if (action === undefined) throw new RequestRefusedError(400, NOT_FOR_MANY)
    if (asksToBeShown(form)) {
      return sendPage(reply, request, 'site', await show(visit, { action, ids }, form))
    }
    const { place, ask } = visit
    const read = await readForm(plans.get(action.path) ?? [], form, { place, ask })
    const isWrongNumber = asksForNumber(action, ids.length) && !isNameTyped(form, `${ids.length}`)
    if (isWrongNumber || Object.keys(read.problems).length > 0) {
      const problems = { fields: read.problems, whole: [] }
      const page = await show(visit, { action, ids }, form, { problems, isWrongNumber })
      return sendPage(reply, request, 'site', page, 422)
    }
    const failed: FailedRow[] = []
    // One after the other: each is a transaction of its own, and one that is refused stops no other.
    for (const id of ids) {
      const failure = await doOne(visit, resource, action, { id, form, input: read.input })
      if (failure !== undefined) failed.push(failure)
    }
    if (failed.length === 0) {
      const done = ids.length === 1 ? 'selected-one' : 'selected'
      return redirectTo(reply, request, 'site', afterWrite(back.url, done))
    }
    const frame = visit.frame()
    const page = selectionPage({
      ...{ ...frame, resource, action, objects: [], path, back, failed, ids },
      ...{ fields: [], problems: NO_PROBLEMS, isWrongNumber: false },
    })
    return sendPage(reply, request, 'site', page, 409)
  })
}

const NOT_FOR_MANY = 'This cannot be done with several rows at once. Go back to the list.'

async function readOne(visit: Visit, resource: AdminResource, id: string): Promise<Outcome<Row>> {
  return await visit.perform(resource.read, { id, ...expanding(resource) })
}

async function doOne(
  visit: Visit,
  resource: AdminResource,
  action: ManyAction,
  { id, form, input }: { readonly id: string; readonly form: URLSearchParams; readonly input: Row },
): Promise<FailedRow | undefined> {
  const found = await readOne(visit, resource, id)
  if (found.kind !== 'done') return { id, name: '', why: 'It is gone.' }
  const failure = (why: string) => ({ id, name: resource.name(found.output), why })
  if (action.when?.(found.output) === false) return failure('Not possible as it is now.')
  const { version } = found.output
  const seen = seenVersion(form, versionName(id))
  if (version !== undefined && version !== seen) return failure(CHANGED)
  const { operation } = action.does
  const done = await visit.perform(operation, {
    ...input,
    [action.by]: id,
    ...versionIn(operation, form, versionName(id)),
  })
  return done.kind === 'done' ? undefined : failure(reasonIn(done))
}

const CHANGED = 'It changed after you selected it. Look at it as it is now, and select it again.'

function reasonIn(outcome: Exclude<Outcome, { kind: 'done' }>): string {
  if ('detail' in outcome) return outcome.detail
  if (outcome.kind === 'invalid') return outcome.problems.map(({ detail }) => detail).join(' ')
  return CHANGED
}
