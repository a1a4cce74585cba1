import type { FastifyInstance } from 'fastify'
import { reachOf } from '../../../../domain/notifications/reach.ts'
import { Name } from '../../../../foundation/html/components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { queryOf } from '../../frame/layout.tsx'
import { reachInWords } from '../../frame/reach-words.ts'
import type { AdminFrame } from '../frame/admin-page.tsx'
import { ProblemSummary } from '../frame/changes-in-form.tsx'
import { type OperatorVisit, operatorVisit, type Place } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'
import { asksToBeShown, type FindTexts, findTextsIn, SHOWS_AGAIN, shownFields } from './choices.ts'
import type { AskedWrite } from './field.ts'
import { DefaultButton, FormField, type ShownField } from './field-inputs.tsx'
import { type FormProblems, NO_PROBLEMS, planForm } from './field-rules.ts'
import { summaryOf } from './form.tsx'
import { loadNamed } from './named.ts'
import { withArticle } from './object-table.tsx'
import { blankDraft, type Draft, suggested, typedDraft } from './read-form.ts'
import {
  type Action,
  type AdminResource,
  afterWrite,
  type Link,
  labelled,
  listPath,
  objectPath,
  placeInMenu,
  upFrom,
} from './resource.ts'
import type { Row } from './row.ts'
import { asSeen, submitForm, versionField, versionIn } from './submit.ts'

export function addActionRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  for (const action of resource.actions) addActionRoute(app, context, resource, action)
}

export function askedBy({ does }: Action): AskedWrite {
  return 'operation' in does ? does : { operation: does, fields: [], input: {} }
}

function consequenceOf(
  { consequence }: Action,
  { summary }: AskedWrite['operation'],
  object: Row,
  place: Place,
): string {
  return typeof consequence === 'function' ? consequence(object, place) : (consequence ?? summary)
}

function addActionRoute(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  action: Action,
): void {
  const { operation, fields: asked, input } = askedBy(action)
  const fields = planForm(operation, asked)
  const route = `${listPath(resource)}/:id/${action.path}`
  const show = async (
    visit: OperatorVisit,
    object: Row,
    draft: Draft,
    problems: FormProblems,
    { texts = {}, isWrongName = false }: { texts?: FindTexts; isWrongName?: boolean } = {},
  ) => {
    const name = resource.name(object)
    const isPossible = action.when?.(object) ?? true
    const audience = isPossible ? action.tells?.(object) : undefined
    const whyNot = isPossible ? await visit.whyNot(operation, String(object.id)) : undefined
    return askPage({
      ...visit.frame(),
      here: placeInMenu(resource, objectPath(resource, object)),
      action: labelled(action, object),
      isOffered: isPossible && whyNot === undefined,
      consequence: consequenceOf(action, operation, object, visit.place),
      reach:
        audience && reachInWords(await reachOf(visit.request.schoolDb, audience), visit.sendsMail),
      name,
      path: objectPath(resource, object, `/${action.path}`),
      back: { url: objectPath(resource, object), label: name || withArticle(resource.one) },
      hidden: versionField(operation, object),
      fields: await shownFields(fields, draft, problems.fields, visit.ask, { object, texts }),
      isWrongName,
      problems: whyNot === undefined ? problems : { fields: {}, whole: [whyNot] },
    })
  }

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const object = await loadNamed(visit, resource)
    const draft = {
      ...blankDraft(fields, visit.place, object),
      ...suggested(fields, queryOf(request)),
    }
    return visit.page(await show(visit, object, draft, NO_PROBLEMS))
  })

  app.post(route, SHOWS_AGAIN, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const before = await loadNamed(visit, resource)
    const texts = findTextsIn(form)
    if (asksToBeShown(form)) {
      const seen = asSeen(before, form)
      const page = await show(visit, seen, typedDraft(fields, form), NO_PROBLEMS, { texts })
      return visit.page(page)
    }
    if (
      action.confirmsName &&
      !isNameTyped(form, resource.name(before)) &&
      (await visit.whyNot(operation, String(before.id))) === undefined
    ) {
      const again = { texts, isWrongName: true }
      const seen = asSeen(before, form)
      const page = await show(visit, seen, typedDraft(fields, form), NO_PROBLEMS, again)
      return visit.page(page, 422)
    }
    const outcome = await submitForm(visit, form, {
      operation,
      fields,
      fixed: { id: before.id, ...input, ...versionIn(operation, form) },
      about: before,
    })
    if (outcome.kind === 'done') {
      const { job_id } = outcome.output
      if (typeof job_id === 'string') {
        return visit.goTo(`/admin/jobs/${job_id}?done=started`)
      }
      const isGone = operation.kind === 'remove'
      const to = isGone ? upFrom(resource, before).url : objectPath(resource, before)
      return visit.goTo(afterWrite(to, action.path))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    // After a conflict the page shows what is possible now, not what was possible when this request
    // began.
    const isConflict = outcome.status === 409
    const object = isConflict ? await loadNamed(visit, resource) : asSeen(before, form)
    const page = await show(visit, object, outcome.draft, outcome.problems, { texts })
    return visit.page(page, outcome.status)
  })
}

export interface AskPageProps extends AdminFrame {
  readonly action: Action
  readonly consequence: string
  /** Whom it tells. */
  readonly reach: string | undefined
  /** Whether the action can be done with the object as it is now. */
  readonly isOffered: boolean
  /** The name of the object. */
  readonly name: string
  readonly path: string
  readonly back: Link
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  /** Whether another name was typed than that of the object. */
  readonly isWrongName?: boolean
}

/** Asks for confirmation before an action. */
function askPage(props: AskPageProps): string {
  const { action, problems, isWrongName = false } = props
  const isWrong =
    isWrongName || problems.whole.length > 0 || props.fields.some((one) => one.problems.length > 0)
  return questionPage({
    ...props,
    title: action.question,
    tone: action.tone,
    isWrong,
    consequence: (
      <>
        <p class="asked-about">
          <Name text={props.name} fallback="Unnamed" />
        </p>
        {props.isOffered ? <p>{props.consequence}</p> : <NotPossible {...props} />}
        {props.isOffered && props.reach && <p>{props.reach}</p>}
      </>
    ),
    form: props.isOffered
      ? {
          path: props.path,
          hidden: props.hidden,
          fields: <ActionFields {...props} isWrong={isWrong} />,
          typed: action.confirmsName ? { name: props.name, isWrong: isWrongName } : undefined,
          button: action.label,
        }
      : undefined,
  })
}

/** For a link that is older than the state of the object, and for a second click. */
function NotPossible({ action, problems }: AskPageProps) {
  return (
    <>
      <p>{`“${action.label}” is not possible as things are now. Nothing was done.`}</p>
      {problems.whole.map((problem) => (
        <p>{problem}</p>
      ))}
    </>
  )
}

/** What an action asks for, after the problems with it. */
export function ActionFields(props: {
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  readonly timeZone: string
  readonly isWrong: boolean
}) {
  return (
    <>
      <DefaultButton fields={props.fields} />
      {props.isWrong && (
        <ProblemSummary
          heading="Nothing was done yet"
          whole={props.problems.whole}
          fields={summaryOf(props.fields)}
        />
      )}
      {props.fields.map((shown) => (
        <FormField shown={shown} timeZone={props.timeZone} />
      ))}
    </>
  )
}
