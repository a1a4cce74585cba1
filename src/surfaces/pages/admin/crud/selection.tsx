import type { FastifyInstance } from 'fastify'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import { Alert, Name } from '../../../../foundation/html/components.tsx'
import { Empty } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { queryOf } from '../../frame/layout.tsx'
import type { AdminFrame } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'
import { ActionFields } from './action.tsx'
import { asksToBeShown, findTextsIn, SHOWS_AGAIN, shownFields } from './choices.ts'
import { asking } from './field.ts'
import type { ShownField } from './field-inputs.tsx'
import { type FormProblems, NO_PROBLEMS, planForm } from './field-rules.ts'
import { expanding } from './named.ts'
import { blankDraft, readForm, typedDraft } from './read-form.ts'
import {
  type AdminResource,
  afterWrite,
  type Link,
  listPath,
  type ManyAction,
  objectPath,
} from './resource.ts'
import type { Row } from './row.ts'
import { seenVersion, versionIn } from './submit.ts'

/** A selected row that the action could not be done with. */
interface FailedRow {
  readonly id: string
  readonly name: string
  readonly why: string
}

interface SelectionPageProps extends AdminFrame {
  readonly resource: AdminResource
  readonly action: ManyAction | undefined
  readonly objects: readonly Row[]
  /** What the action asks for once, for all rows. */
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  /** Whether another number was typed than that of the rows. */
  readonly isWrongNumber: boolean
  readonly path: string
  readonly back: Link
  /** After the action: with which rows it failed, of which rows. */
  readonly failed?: readonly FailedRow[]
  readonly ids?: readonly string[]
}

/**
 * The field with the version of a row, so that a row is left alone if it changed after the page
 * asked.
 */
export const versionName = (id: string): string => `if_version-${id}`

/** Whether the page asks to type how many rows are deleted. */
function asksForNumber(action: ManyAction, rows: number): boolean {
  return action.does.operation.kind === 'remove' && rows > 1
}

/** Asks before an action on several rows, and tells afterwards with which rows it failed. */
export function selectionPage(props: SelectionPageProps): string {
  const { resource, action, objects, back, failed } = props
  const number = failed === undefined ? objects.length : (props.ids ?? []).length
  const what = number === 1 ? resource.one : resource.many.toLowerCase()
  const common = {
    ...props,
    here: resource.menu ?? back.url,
    title: `${action?.label ?? 'Change'}: ${number} ${what}`,
    tone: action?.tone,
  }
  if (failed !== undefined) {
    const consequence = <Failed {...props} failed={failed} total={number} />
    return questionPage({ ...common, consequence, isWrong: true })
  }
  if (action === undefined || objects.length === 0) {
    return questionPage({ ...common, consequence: <NoneSelected /> })
  }
  const isWrong = props.isWrongNumber || Object.keys(props.problems.fields).length > 0
  return questionPage({
    ...common,
    isWrong,
    consequence: <Selected {...props} action={action} />,
    form: {
      path: props.path,
      hidden: { action: action.path },
      fields: (
        <>
          <ActionFields {...props} isWrong={isWrong} />
          {objects.map(({ id, version }) => (
            <>
              <input type="hidden" name="id" value={String(id)} />
              {typeof version === 'number' && (
                <input type="hidden" name={versionName(String(id))} value={String(version)} />
              )}
            </>
          ))}
        </>
      ),
      typed: asksForNumber(action, objects.length)
        ? { name: String(objects.length), kind: 'number', isWrong: props.isWrongNumber }
        : undefined,
      button: action.label,
    },
  })
}

function NoneSelected() {
  return (
    <Empty>
      <p>Nothing is selected. Go back and tick the rows that you mean.</p>
    </Empty>
  )
}

function Selected({ resource, action, objects }: SelectionPageProps & { action: ManyAction }) {
  const { consequence, consequenceOfOne = consequence } = action
  return (
    <>
      <p>{objects.length === 1 ? consequenceOfOne : consequence}</p>
      <ul>
        {objects.map((object) => (
          <li>
            <Name text={resource.name(object)} fallback="Unnamed" />
            {action.when?.(object) === false && ' (not possible as it is now)'}
          </li>
        ))}
      </ul>
    </>
  )
}

function Failed(props: SelectionPageProps & { failed: readonly FailedRow[]; total: number }) {
  const { resource, failed, total } = props
  return (
    <Alert
      tone="error"
      title={`${total - failed.length} of ${total} done; ${failed.length} could not be done`}
    >
      <ul class="problem-list">
        {failed.map(({ id, name, why }) => (
          <li>
            <a href={objectPath(resource, { id })}>
              <Name text={name} fallback="Unnamed" />
            </a>
            : {why}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** More than a page of a list has. */
const MOST_ROWS = 50

/**
 * What can be done with several rows: actions that need nothing but the object, and those that ask
 * once for all.
 */
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

/**
 * One action for the rows that were selected in a list. Each row is judged by the same operation as
 * on its own page.
 */
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
    visit: OperatorVisit,
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
    const visit = await operatorVisit(context, request, reply)
    const { action = actions[0], ids } = asked(queryOf(request))
    return visit.page(await show(visit, { action, ids }))
  })

  app.post(path, SHOWS_AGAIN, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const { action, ids } = asked(form)
    if (action === undefined) throw new RequestRefusedError(400, NOT_FOR_MANY)
    if (asksToBeShown(form)) {
      return visit.page(await show(visit, { action, ids }, form))
    }
    const { place, ask } = visit
    const read = await readForm(plans.get(action.path) ?? [], form, { place, ask })
    const isWrongNumber = asksForNumber(action, ids.length) && !isNameTyped(form, `${ids.length}`)
    if (isWrongNumber || Object.keys(read.problems).length > 0) {
      const problems = { fields: read.problems, whole: [] }
      const page = await show(visit, { action, ids }, form, { problems, isWrongNumber })
      return visit.page(page, 422)
    }
    const failed: FailedRow[] = []
    // One after the other: each is a transaction of its own, and one that is refused stops no
    // other.
    for (const id of ids) {
      const failure = await doOne(visit, resource, action, { id, form, input: read.input })
      if (failure !== undefined) failed.push(failure)
    }
    if (failed.length === 0) {
      const done = ids.length === 1 ? 'selected-one' : 'selected'
      return visit.goTo(afterWrite(back.url, done))
    }
    const frame = visit.frame()
    const page = selectionPage({
      ...{ ...frame, resource, action, objects: [], path, back, failed, ids },
      ...{ fields: [], problems: NO_PROBLEMS, isWrongNumber: false },
    })
    return visit.page(page, 409)
  })
}

const NOT_FOR_MANY = 'This cannot be done with several rows at once. Go back to the list.'

async function readOne(
  visit: OperatorVisit,
  resource: AdminResource,
  id: string,
): Promise<Outcome<Row>> {
  return await visit.perform(resource.read, { id, ...expanding(resource) })
}

async function doOne(
  visit: OperatorVisit,
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
