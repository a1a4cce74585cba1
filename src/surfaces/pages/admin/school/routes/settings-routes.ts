import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { ReadOperation, WriteOperation } from '../../../../../domain/operation.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { sendOn, sendPage } from '../../../page-request.ts'
import { type Draft, draftOf } from '../form/draft.ts'
import { planForm } from '../form/field-rule.ts'
import { type FormProblems, NO_PROBLEMS } from '../form/problems.ts'
import { readForm } from '../form/read-form.ts'
import { afterWrite, type FormField, type Row } from '../resource.ts'
import { formPage } from '../views/form-page.tsx'
import { shownFields } from './choices.ts'
import { submitForm, versionField, versionIn } from './submit.ts'
import { enter, type Visit } from './visit.ts'

/** Something that a school has exactly one of: a page that is a form. */
export interface SettingsPage {
  readonly path: string
  readonly title: string
  readonly lead: string
  readonly read: ReadOperation
  readonly change: WriteOperation
  readonly fields: readonly FormField[]
  /** Whether it can be looked at before it is saved. */
  readonly preview?: boolean
  /** What the page ends with, given what stands in the form. */
  readonly panels?: (
    request: FastifyRequest,
    saved: Row,
    draft: Draft,
  ) => ComponentChildren | Promise<ComponentChildren>
}

const NOTICES = { saved: 'Saved.', uploaded: 'The logo is changed.' }

export function addSettingsPage(
  app: FastifyInstance,
  context: AppContext,
  page: SettingsPage,
): void {
  const { path, read, change } = page
  const fields = planForm(change, page.fields)
  const show = async (
    request: FastifyRequest,
    visit: Visit,
    saved: Row,
    { draft, problems }: { draft: Draft; problems: FormProblems },
  ) =>
    formPage({
      ...visit.frame(NOTICES),
      title: page.title,
      lead: page.lead,
      action: path,
      hidden: versionField(change, saved),
      fields: await shownFields(fields, draft, problems.fields, visit.ask),
      problems,
      submit: 'Save',
      preview: page.preview === true,
      panels: await page.panels?.(request, saved, draft),
    })

  app.get(path, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const saved = await visit.ask(read, {})
    const draft = draftOf(fields, saved, visit.place)
    const html = await show(request, visit, saved, { draft, problems: NO_PROBLEMS })
    return sendPage(reply, request, 'site', html)
  })

  app.post(path, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const saved = await visit.ask(read, {})
    if (page.preview === true && form.has('preview')) {
      const { place, ask } = visit
      const { draft, problems } = await readForm(fields, form, { place, ask, before: saved })
      const found = { fields: problems, whole: [] }
      const html = await show(request, visit, saved, { draft, problems: found })
      return sendPage(reply, request, 'site', html)
    }
    const outcome = await submitForm(visit, form, {
      operation: change,
      fields,
      fixed: versionIn(change, form),
      before: saved,
    })
    if (outcome.kind === 'done') {
      // The very next page must show it, whatever this process had cached.
      context.directory.forget(request.school.id)
      return sendOn(reply, request, 'site', afterWrite(path, 'saved'))
    }
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const html = await show(request, visit, saved, outcome)
    return sendPage(reply, request, 'site', html, outcome.status)
  })
}
