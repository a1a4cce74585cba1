import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { WriteOperation } from '../../../../domain/operation/operation.ts'
import { Button, Form } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
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
import { createdKey, shownBy, submitChange, submitForm } from './submit.ts'

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

/** What a form of a change keeps when it is shown again. */
interface ShownAgain {
  readonly texts?: FindTexts
  readonly shown?: ShownDigests | undefined
  readonly stored?: Draft
  readonly overwritten?: readonly string[]
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
  const show = async (
    visit: OperatorVisit,
    creation: CreationContext,
    draft: Draft,
    problems: FormProblems,
    texts: FindTexts = {},
  ) =>
    formPage({
      ...visit.frame(),
      title: creation.title,
      up: creation.up,
      action: creation.path,
      hidden: {},
      fields: await shownFields(
        fieldsWithout(fields, creation.fixed),
        draft,
        problems.fields,
        visit.ask,
        { texts },
      ),
      problems,
      submit: submitWords(resource, create),
      back: { url: creation.up.url, label: 'Cancel' },
    })

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const creation = await find(visit)
    const draft = { ...blankDraft(fields, visit.place), ...suggested(fields, queryOf(request)) }
    return visit.page(await show(visit, creation, draft, NO_PROBLEMS))
  })

  app.post(route, { ...body, ...SHOWS_AGAIN }, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const creation = await find(visit)
    const texts = findTextsIn(form)
    if (asksToBeShown(form)) {
      const page = await show(visit, creation, typedDraft(fields, form), NO_PROBLEMS, texts)
      return visit.page(page)
    }
    const outcome = await submitForm(visit, form, {
      operation: create,
      fields: fieldsWithout(fields, creation.fixed),
      fixed: creation.fixed,
    })
    if (outcome.kind === 'done') {
      const home = homeOf(resource, outcome.output)
      return visit.goTo(afterWrite(home, createdKey(resource)))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const page = await show(visit, creation, outcome.draft, outcome.problems, texts)
    return visit.page(page, outcome.status)
  })
}

function fieldsWithout(fields: readonly PlannedField[], fixed: Row): readonly PlannedField[] {
  return fields.filter(({ name }) => !(name in fixed))
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
  const show = async (
    visit: OperatorVisit,
    object: Row,
    draft: Draft,
    problems: FormProblems,
    { texts = {}, shown, stored, overwritten = [] }: ShownAgain = {},
  ) => {
    const url = objectPath(resource, object)
    return formPage({
      ...visit.frame(),
      here: placeInMenu(resource, url),
      title:
        `${resource.changeLabel ?? 'Edit'} ${resource.changeLabel === undefined ? resource.one : ''}`.trim(),
      lead: undefined,
      up: { url, label: resource.name(object) || withArticle(resource.one) },
      action: `${url}/edit`,
      hidden: shownField(shown ?? shownBy(fields, object, visit.place)),
      fields: await shownFields(fields, draft, problems.fields, visit.ask, { texts }),
      problems,
      stored,
      overwritten,
      submit: 'Save',
      back: { url, label: 'Cancel' },
    })
  }

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const object = await loadNamed(visit, resource)
    const page = await show(visit, object, draftOf(fields, object, visit.place), NO_PROBLEMS)
    return visit.page(page)
  })

  app.post(route, { ...body, ...SHOWS_AGAIN }, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const texts = findTextsIn(form)
    const load = () => loadNamed(visit, resource)
    if (asksToBeShown(form)) {
      const again = { texts, shown: shownIn(form) }
      const page = await show(visit, await load(), typedDraft(fields, form), NO_PROBLEMS, again)
      return visit.page(page)
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
    const { overwritten, shown } = outcome
    const stored = draftOf(fields, before, visit.place)
    const again = { texts, shown, stored, overwritten }
    const page = await show(visit, before, outcome.draft, outcome.problems, again)
    return visit.page(page, outcome.status)
  })
}

function homeOf(resource: AdminResource, object: Row): string {
  return resource.home?.(object) ?? objectPath(resource, object)
}

export interface FormPageProps extends AdminFrame {
  readonly title: string
  readonly lead?: string | undefined
  readonly up?: Link | undefined
  readonly action: string
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  readonly submit: string
  readonly back?: Link | undefined
  /** What is saved now. */
  readonly stored?: Draft | undefined
  /** The fields that were changed after the form was opened. */
  readonly overwritten?: readonly string[] | undefined
  /** Adds a button for a preview. */
  readonly preview?: boolean
  /** A file of `assets/`; send the page with `sendScriptedPage`. */
  readonly script?: string | undefined
  /** The end of the page. */
  readonly panels?: ComponentChildren
}

/** A form that creates or changes an object. */
export function formPage(props: FormPageProps): string {
  const { title, problems } = props
  const isWrong = problems.whole.length > 0 || props.fields.some((one) => one.problems.length > 0)
  return adminPage({
    ...props,
    title: isWrong ? `Error: ${title}` : title,
    children: (
      <>
        <PageHead title={title} lead={props.lead} up={props.up} />
        <section class="panel" aria-label={title}>
          <Form
            class="wide-form"
            action={props.action}
            formToken={props.viewer?.formToken ?? ''}
            hidden={props.hidden}
          >
            <DefaultButton fields={props.fields} />
            {isWrong && (
              <ProblemSummary whole={props.problems.whole} fields={summaryOf(props.fields)} />
            )}
            <BothVersions fields={versionsIn(props)} />
            {props.fields.map((shown) => (
              <FormField shown={shown} timeZone={props.timeZone} currency={props.currency} />
            ))}
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
        </section>
        {props.panels}
      </>
    ),
  })
}

/** The fields that the author and another person have changed. */
function versionsIn({ fields, stored = {}, overwritten = [] }: FormPageProps): FieldVersions[] {
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
