import type { FastifyInstance } from 'fastify'
import type { Outcome } from '../../../../../domain/operation.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../../foundation/protocol/uuid.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { redirectTo, sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import { type Action, type AdminResource, afterWrite, listPath } from '../resource.ts'
import type { Row } from '../row.ts'
import { type FailedRow, selectionPage, versionName } from '../views/selection-page.tsx'
import { askedBy } from './action-routes.ts'
import { seenVersion, versionIn } from './submit.ts'
import { enter, expanding, type Visit } from './visit.ts'

/** More than a page of a list has. */
const MOST_ROWS = 50

/** Actions that need nothing but the object, so that they can be done with many. */
export function actionsForMany({ actions }: AdminResource): readonly Action[] {
  return actions.filter(
    ({ does, confirmsName, forOne }) =>
      !('operation' in does) && confirmsName !== true && forOne !== true,
  )
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
  const path = selectionPath(resource)
  const asked = (from: URLSearchParams) => ({
    action: actions.find((one) => one.path === from.get('action')),
    ids: [...new Set(from.getAll('id').filter(isUuid))].slice(0, MOST_ROWS),
  })
  const back = { url: listPath(resource), label: resource.many }

  app.get(path, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const { action = actions[0], ids } = asked(queryOf(request))
    const objects: Row[] = []
    for (const id of ids) {
      const found = await readOne(visit, resource, id)
      if (found.kind === 'done') objects.push(found.output)
    }
    const page = selectionPage({ ...visit.frame(), resource, action, objects, path, back })
    return sendPage(reply, request, 'site', page)
  })

  app.post(path, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const { action, ids } = asked(form)
    if (action === undefined) throw new RequestRefusedError(400, NOT_FOR_MANY)
    const failed: FailedRow[] = []
    // One after the other: each is a transaction of its own, and one that is refused stops no other.
    for (const id of ids) {
      const failure = await doOne(visit, resource, action, { id, form })
      if (failure !== undefined) failed.push(failure)
    }
    if (failed.length === 0) {
      return redirectTo(reply, request, 'site', afterWrite(back.url, 'selected'))
    }
    const frame = visit.frame()
    const page = selectionPage({ ...frame, resource, action, objects: [], path, back, failed, ids })
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
  action: Action,
  { id, form }: { readonly id: string; readonly form: URLSearchParams },
): Promise<FailedRow | undefined> {
  const found = await readOne(visit, resource, id)
  if (found.kind !== 'done') return { id, name: '', why: 'It is gone.' }
  const failure = (why: string) => ({ id, name: resource.name(found.output), why })
  if (action.when?.(found.output) === false) return failure('Not possible as it is now.')
  const { version } = found.output
  const seen = seenVersion(form, versionName(id))
  if (version !== undefined && version !== seen) return failure(CHANGED)
  const { operation, input } = askedBy(action)
  const done = await visit.perform(operation, {
    id,
    ...input,
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
