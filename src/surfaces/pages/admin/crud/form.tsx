import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { WriteOperation } from '../../../../domain/operation/operation.ts'
import { Button, Form } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { NO_MAIL_WORDS } from '../../frame/reach-words.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import {
  BothVersions,
  type FieldVersions,
  ProblemSummary,
  type ShownDigests,
  shownField,
  shownIn,
} from '../frame/changes-in-form.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { asksToBeShown, type FindTexts, findTextsIn, SHOWS_AGAIN, shownFields } from './choices.ts'
import { DefaultButton, FormField, type ShownField } from './field-inputs.tsx'
import { type FormProblems, NO_PROBLEMS, type PlannedField, planForm } from './field-rules.ts'
import { idIn, loadNamed } from './named.ts'
import { withArticle } from './object-table.tsx'
import { blankDraft, type Draft, draftOf, suggested, typedDraft } from './read-form.ts'
import {
  type AdminResource,
  afterWrite,
  type Link,
  listPath,
  objectPath,
  placeInMenu,
} from './resource.ts'
import type { Row } from './row.ts'
import { createdKey, type Submitted, shownBy, submitChange, submitForm } from './submit.ts'

export interface FormBody {
  readonly bodyLimit: number
}

/** The page that creates an object, and the members of the input that the page decides. */
export interface CreationContext {
  readonly path: string
  readonly up: Link
  readonly fixed: Row
  readonly title: string
}

type FindContext = (visit: OperatorVisit) => Promise<CreationContext>

export function addCreateRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  body: FormBody,
): void {
  if (resource.create === undefined || resource.list === undefined) return
  const path = `${listPath(resource)}/new`
  const creation: CreationContext = {
    path,
    up: { url: listPath(resource), label: resource.many },
    fixed: {},
    title: resource.createLabel ?? `New ${resource.one}`,
  }
  addCreateFormRoutes(app, context, resource, { route: path, body, find: async () => creation })
}

/** The form for a new object, on the resource's own page or on the page of a parent. */
export function addCreateFormRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  { route, body, find }: { route: string; body: FormBody; find: FindContext },
): void {
  const { create } = resource
  if (create === undefined) return
  const fields = planForm(create, resource.fields, resource.change)
  const asked = (creation: CreationContext) =>
    fields.filter(({ name }) => !(name in creation.fixed))
  const show = (visit: OperatorVisit, creation: CreationContext, form: ShownForm) =>
    formPage({
      ...visit.frame(),
      ...form,
      title: creation.title,
      lead: resource.createTells && !visit.sendsMail ? NO_MAIL_WORDS : undefined,
      up: creation.up,
      action: creation.path,
      submit: submitWords(resource, create),
      back: { url: creation.up.url, label: 'Cancel' },
    })

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const creation = await find(visit)
    const draft = { ...blankDraft(fields, visit.place), ...suggested(fields, queryOf(request)) }
    return visit.page(show(visit, creation, await newForm(visit, asked(creation), draft)))
  })

  app.post(route, { ...body, ...SHOWS_AGAIN }, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const creation = await find(visit)
    const texts = findTextsIn(form)
    if (asksToBeShown(form)) {
      const again = await newForm(visit, asked(creation), typedDraft(fields, form), texts)
      return visit.page(show(visit, creation, again))
    }
    const outcome = await submitForm(visit, form, {
      operation: create,
      fields: asked(creation),
      fixed: creation.fixed,
    })
    if (outcome.kind === 'done') {
      const home = homeOf(resource, outcome.output)
      return visit.goTo(afterWrite(home, createdKey(resource)))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const again = await refusedForm(visit, asked(creation), outcome, undefined, texts)
    return visit.page(show(visit, creation, again), outcome.status)
  })
}

function submitWords({ createLabel, one }: AdminResource, { title }: WriteOperation): string {
  if (createLabel !== undefined && !/^New /.test(createLabel)) return createLabel
  return /^Create /.test(title) ? `Create ${one}` : title
}

export function addChangeRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  body: FormBody,
): void {
  const { change } = resource
  if (change === undefined) return
  const fields = planForm(change, resource.fields, resource.create)
  const route = `${listPath(resource)}/:id/edit`
  const show = (visit: OperatorVisit, object: Row, form: ShownForm) => {
    const url = objectPath(resource, object)
    return formPage({
      ...visit.frame(),
      ...form,
      here: placeInMenu(resource, url),
      title: resource.changeLabel ?? `Edit ${resource.one}`,
      lead: undefined,
      up: { url, label: resource.name(object) || withArticle(resource.one) },
      action: `${url}/edit`,
      submit: 'Save',
      back: { url, label: 'Cancel' },
    })
  }

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const object = await loadNamed(visit, resource)
    return visit.page(show(visit, object, await savedForm(visit, fields, object)))
  })

  app.post(route, { ...body, ...SHOWS_AGAIN }, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const texts = findTextsIn(form)
    const load = () => loadNamed(visit, resource)
    if (asksToBeShown(form)) {
      const object = await load()
      const sent = {
        draft: typedDraft(fields, form),
        problems: NO_PROBLEMS,
        shown: shownIn(form),
      }
      const again = await refusedForm(visit, fields, sent, object, texts)
      return visit.page(show(visit, object, again))
    }
    const { before, outcome } = await submitChange(visit, form, load, {
      operation: change,
      fields,
      fixed: { id: idIn(request) },
    })
    if (outcome.kind === 'done') {
      return visit.goTo(afterWrite(homeOf(resource, before), 'saved'))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const again = await refusedForm(visit, fields, outcome, before, texts)
    return visit.page(show(visit, before, again), outcome.status)
  })
}

function homeOf(resource: AdminResource, object: Row): string {
  return resource.home?.(object) ?? objectPath(resource, object)
}

/** A form that creates or changes an object, as it is shown. */
export interface ShownForm {
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  readonly hidden: Readonly<Record<string, string>>
  /** What is saved now. */
  readonly stored?: Draft | undefined
  /** The fields that were changed after the form was opened. */
  readonly overwritten?: readonly string[] | undefined
}

/** A form for a new object. */
export async function newForm(
  { ask }: OperatorVisit,
  fields: readonly PlannedField[],
  draft: Draft,
  texts: FindTexts = {},
): Promise<ShownForm> {
  const shown = await shownFields(fields, draft, {}, ask, { texts })
  return { fields: shown, problems: NO_PROBLEMS, hidden: {} }
}

/** A form with what is saved. */
export async function savedForm(
  { ask, place }: OperatorVisit,
  fields: readonly PlannedField[],
  saved: Row,
): Promise<ShownForm> {
  return {
    fields: await shownFields(fields, draftOf(fields, saved, place), {}, ask),
    problems: NO_PROBLEMS,
    hidden: shownField(shownBy(fields, saved, place)),
  }
}

/** A form as it was sent, with what is wrong with it. */
export async function refusedForm(
  { ask, place }: OperatorVisit,
  fields: readonly PlannedField[],
  refused: Pick<Extract<Submitted, { kind: 'refused' }>, 'draft' | 'problems'> & {
    readonly shown?: ShownDigests | undefined
    readonly overwritten?: readonly string[]
  },
  saved?: Row,
  texts: FindTexts = {},
): Promise<ShownForm> {
  const { draft, problems, shown, overwritten } = refused
  return {
    fields: await shownFields(fields, draft, problems.fields, ask, { texts }),
    problems,
    hidden: saved === undefined ? {} : shownField(shown ?? shownBy(fields, saved, place)),
    stored: saved && draftOf(fields, saved, place),
    overwritten,
  }
}

export function isWrong({ problems, fields }: ShownForm): boolean {
  return problems.whole.length > 0 || fields.some((one) => one.problems.length > 0)
}

interface ObjectFormProps extends AdminFrame, ShownForm {
  readonly action: string
  readonly submit: string
  readonly back?: Link | undefined
  /** Adds a button for a preview. */
  readonly preview?: boolean
  /** Between the fields and the buttons. */
  readonly note?: ComponentChildren
}

export function ObjectForm(props: ObjectFormProps) {
  return (
    <Form
      class="wide-form"
      action={props.action}
      formToken={props.viewer?.formToken ?? ''}
      hidden={props.hidden}
    >
      <DefaultButton fields={props.fields} />
      {isWrong(props) && (
        <ProblemSummary whole={props.problems.whole} fields={summaryOf(props.fields)} />
      )}
      <BothVersions fields={versionsIn(props)} />
      {props.fields.map((shown) => (
        <FormField shown={shown} timeZone={props.timeZone} currency={props.currency} />
      ))}
      {props.note}
      <div class="actions">
        <Button look="primary">{props.submit}</Button>
        {props.preview === true && (
          <Button look="plain" name="preview" value="yes">
            Preview
          </Button>
        )}
        {props.back !== undefined && (
          <ButtonLink look="plain" href={props.back.url}>
            {props.back.label}
          </ButtonLink>
        )}
      </div>
    </Form>
  )
}

export interface FormPageProps extends ObjectFormProps {
  readonly title: string
  readonly lead?: string | undefined
  readonly up?: Link | undefined
  /** A file of `assets/`; send the page with `sendScriptedPage`. */
  readonly script?: string | undefined
  /** The end of the page. */
  readonly panels?: ComponentChildren
}

/** A page that is one form. */
export function formPage(props: FormPageProps): string {
  const { title } = props
  return adminPage({
    ...props,
    title: isWrong(props) ? `Error: ${title}` : title,
    children: (
      <>
        <PageHead title={title} lead={props.lead} up={props.up} />
        <section class="panel" aria-label={title}>
          <ObjectForm {...props} />
        </section>
        {props.panels}
      </>
    ),
  })
}

/** The fields that the author and another person have changed. */
function versionsIn({ fields, stored = {}, overwritten = [] }: ShownForm): FieldVersions[] {
  return fields
    .filter(({ field }) => overwritten.includes(field.name))
    .map((shown) => ({
      label: shown.field.label,
      saved: textOf(shown, stored[shown.field.name] ?? []),
      typed: textOf(shown, shown.typed),
    }))
}

function textOf({ field, choices }: ShownField, values: readonly string[]): string {
  if (field.kind === 'check') return values.includes('on') ? 'Yes' : 'No'
  const named = values.map((value) => choices.find(([one]) => one === value)?.[1] ?? value)
  return named.join(', ').replaceAll('\r\n', '\n').trim()
}

/** What the summary of problems says about the fields of a form. */
export function summaryOf(fields: readonly ShownField[]) {
  return fields.map(({ field, problems: [problem] }) => ({
    id: field.name,
    label: field.label,
    problem,
  }))
}
