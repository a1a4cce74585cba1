import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WriteOperation } from '../../../../../domain/operation/operation.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { redirectTo, sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import { blankDraft, type Draft, draftOf, suggested } from '../form/draft.ts'
import { type PlannedField, planForm } from '../form/field-rule.ts'
import { type FormProblems, NO_PROBLEMS } from '../form/problems.ts'
import { typedDraft } from '../form/read-form.ts'
import {
  type AdminResource,
  afterWrite,
  type Link,
  listPath,
  objectPath,
  placeInMenu,
} from '../resource.ts'
import type { Row } from '../row.ts'
import { formPage } from '../views/form-page.tsx'
import { withArticle } from '../views/words.ts'
import { asksToBeShown, type FindTexts, findTextsIn, SHOWS_AGAIN, shownFields } from './choices.ts'
import { createdKey } from './notices.ts'
import { asSeen, shownAgain, submitForm, versionField, versionIn } from './submit.ts'
import { enter, loadNamed, type Visit } from './visit.ts'

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

type FindContext = (request: FastifyRequest, visit: Visit) => Promise<CreationContext>

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
    visit: Visit,
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
    const visit = await enter(context, request, reply)
    const creation = await find(request, visit)
    const draft = { ...blankDraft(fields, visit.place), ...suggested(fields, queryOf(request)) }
    return sendPage(reply, request, 'site', await show(visit, creation, draft, NO_PROBLEMS))
  })

  app.post(route, { ...body, ...SHOWS_AGAIN }, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const creation = await find(request, visit)
    const texts = findTextsIn(form)
    if (asksToBeShown(form)) {
      const page = await show(visit, creation, typedDraft(fields, form), NO_PROBLEMS, texts)
      return sendPage(reply, request, 'site', page)
    }
    const outcome = await submitForm(visit, form, {
      operation: create,
      fields: fieldsWithout(fields, creation.fixed),
      fixed: creation.fixed,
    })
    if (outcome.kind === 'done') {
      const home = homeOf(resource, outcome.output)
      return redirectTo(reply, request, 'site', afterWrite(home, createdKey(resource)))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const page = await show(visit, creation, outcome.draft, outcome.problems, texts)
    return sendPage(reply, request, 'site', page, outcome.status)
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
    visit: Visit,
    object: Row,
    draft: Draft,
    problems: FormProblems,
    { texts = {}, stored }: { texts?: FindTexts; stored?: Draft | undefined } = {},
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
      hidden: versionField(change, object),
      fields: await shownFields(fields, draft, problems.fields, visit.ask, { texts }),
      problems,
      stored,
      submit: 'Save',
      back: { url, label: 'Cancel' },
    })
  }

  app.get(route, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const object = await loadNamed(request, visit, resource)
    const page = await show(visit, object, draftOf(fields, object, visit.place), NO_PROBLEMS)
    return sendPage(reply, request, 'site', page)
  })

  app.post(route, { ...body, ...SHOWS_AGAIN }, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const before = await loadNamed(request, visit, resource)
    const texts = findTextsIn(form)
    if (asksToBeShown(form)) {
      const seen = asSeen(before, form)
      const page = await show(visit, seen, typedDraft(fields, form), NO_PROBLEMS, { texts })
      return sendPage(reply, request, 'site', page)
    }
    const outcome = await submitForm(visit, form, {
      operation: change,
      fields,
      fixed: { id: before.id, ...versionIn(change, form) },
      before,
    })
    if (outcome.kind === 'done') {
      return redirectTo(reply, request, 'site', afterWrite(homeOf(resource, before), 'saved'))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const stored = outcome.isStale ? draftOf(fields, before, visit.place) : undefined
    const object = shownAgain(before, form, outcome)
    const page = await show(visit, object, outcome.draft, outcome.problems, { texts, stored })
    return sendPage(reply, request, 'site', page, outcome.status)
  })
}

function homeOf(resource: AdminResource, object: Row): string {
  return resource.home?.(object) ?? objectPath(resource, object)
}
