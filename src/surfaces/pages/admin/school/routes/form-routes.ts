import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WriteOperation } from '../../../../../domain/operation.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { sendOn, sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import { blankDraft, type Draft, draftOf, suggested } from '../form/draft.ts'
import { type PlannedField, planForm } from '../form/field-rule.ts'
import { type FormProblems, NO_PROBLEMS } from '../form/problems.ts'
import {
  type AdminResource,
  afterWrite,
  type Link,
  listPath,
  objectPath,
  placeInMenu,
  type Row,
} from '../resource.ts'
import { formPage } from '../views/form-page.tsx'
import { withArticle } from '../views/words.ts'
import { shownFields } from './choices.ts'
import { createdKey } from './notices.ts'
import { submitForm, versionField, versionIn } from './submit.ts'
import { enter, loadNamed, type Visit } from './visit.ts'

export interface FormBody {
  readonly bodyLimit: number
}

/** Where a new object is made, and what is known about it before anybody typed anything. */
export interface Birthplace {
  readonly path: string
  readonly up: Link
  readonly fixed: Row
  readonly title: string
}

type FindBirthplace = (request: FastifyRequest, visit: Visit) => Promise<Birthplace>

export function addCreateRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  body: FormBody,
): void {
  if (resource.create === undefined || resource.list === undefined) return
  const path = `${listPath(resource)}/new`
  const birthplace: Birthplace = {
    path,
    up: { url: listPath(resource), label: resource.many },
    fixed: {},
    title: resource.createLabel ?? `New ${resource.one}`,
  }
  addBirthRoutes(app, context, resource, { route: path, body, find: async () => birthplace })
}

/** The form for a new object of a kind, wherever it is made from. */
export function addBirthRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  { route, body, find }: { route: string; body: FormBody; find: FindBirthplace },
): void {
  const { create } = resource
  if (create === undefined) return
  const fields = planForm(create, resource.fields)
  const show = async (visit: Visit, place: Birthplace, draft: Draft, problems: FormProblems) =>
    formPage({
      ...visit.frame(),
      title: place.title,
      up: place.up,
      action: place.path,
      hidden: {},
      fields: await shownFields(
        fieldsWithout(fields, place.fixed),
        draft,
        problems.fields,
        visit.ask,
      ),
      problems,
      submit: submitWords(resource, create),
      back: { url: place.up.url, label: 'Cancel' },
    })

  app.get(route, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const place = await find(request, visit)
    const draft = { ...blankDraft(fields, visit.place), ...suggested(fields, queryOf(request)) }
    return sendPage(reply, request, 'site', await show(visit, place, draft, NO_PROBLEMS))
  })

  app.post(route, body, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const place = await find(request, visit)
    const outcome = await submitForm(visit, form, {
      operation: create,
      fields: fieldsWithout(fields, place.fixed),
      fixed: place.fixed,
    })
    if (outcome.kind === 'done') {
      const home = homeOf(resource, outcome.output)
      return sendOn(reply, request, 'site', afterWrite(home, createdKey(resource)))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const page = await show(visit, place, outcome.draft, outcome.problems)
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
  const fields = planForm(change, resource.fields)
  const route = `${listPath(resource)}/:id/edit`
  const show = async (visit: Visit, object: Row, draft: Draft, problems: FormProblems) => {
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
      fields: await shownFields(fields, draft, problems.fields, visit.ask),
      problems,
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

  app.post(route, body, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const before = await loadNamed(request, visit, resource)
    const outcome = await submitForm(visit, form, {
      operation: change,
      fields,
      fixed: { id: before.id, ...versionIn(change, form) },
      before,
    })
    if (outcome.kind === 'done') {
      return sendOn(reply, request, 'site', afterWrite(homeOf(resource, before), 'saved'))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const page = await show(visit, before, outcome.draft, outcome.problems)
    return sendPage(reply, request, 'site', page, outcome.status)
  })
}

function homeOf(resource: AdminResource, object: Row): string {
  return resource.home?.(object) ?? objectPath(resource, object)
}
