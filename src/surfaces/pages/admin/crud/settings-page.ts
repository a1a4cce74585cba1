import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { ReadOperation, WriteOperation } from '../../../../domain/operation/operation.ts'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { shownIn } from '../frame/changes-in-form.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { asksToBeShown, SHOWS_AGAIN } from './choices.ts'
import type { FormField, InputName } from './field.ts'
import { planForm } from './field-rules.ts'
import { formPage, refusedForm, type ShownForm, savedForm } from './form.tsx'
import { type Draft, draftOf, readForm } from './read-form.ts'
import { afterWrite } from './resource.ts'
import type { OutputOf, Row } from './row.ts'
import { changesBy, submitChange } from './submit.ts'

/**
 * A page that is one form, for what a school has exactly one of. TypeScript checks its fields
 * against the change, and `panels` against the read. `panels` is a method, so that the routes can
 * treat all settings alike.
 */
export interface SettingsPage<
  R extends ReadOperation = ReadOperation,
  U extends WriteOperation = WriteOperation,
> {
  readonly path: string
  readonly title: string
  readonly lead: string
  readonly read: R
  readonly change: U
  readonly fields: readonly FormField<InputName<U>, unknown>[]
  /** Whether the form has a button for a preview. */
  readonly preview?: boolean
  /** A file of `assets/`; the page works without it. */
  readonly script?: string
  /** The end of the page, for what was saved and what is in the form. */
  panels?(
    request: FastifyRequest,
    saved: OutputOf<R>,
    draft: Draft,
  ): ComponentChildren | Promise<ComponentChildren>
}

const NOTICES = { saved: 'Saved.', uploaded: 'The logo is changed.' }

export function addSettingsPage<R extends ReadOperation, U extends WriteOperation>(
  app: FastifyInstance,
  context: AppContext,
  typed: SettingsPage<R, U>,
): void {
  const page: SettingsPage = typed
  const { path, read, change } = page
  const fields = planForm(change, page.fields)
  const show = async (visit: OperatorVisit, saved: Row, draft: Draft, form: ShownForm) =>
    formPage({
      ...visit.frame(NOTICES),
      ...form,
      title: page.title,
      lead: page.lead,
      action: path,
      submit: 'Save',
      preview: page.preview === true,
      script: page.script,
      panels: await page.panels?.(visit.request, saved, draft),
    })

  const send = (visit: OperatorVisit, html: string, status = 200) =>
    page.script === undefined
      ? visit.page(html, status)
      : visit.scriptedPage(page.script, html, status)

  app.get(path, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const saved = await visit.ask(read, {})
    const draft = draftOf(fields, saved, visit.place)
    return send(visit, await show(visit, saved, draft, await savedForm(visit, fields, saved)))
  })

  app.post(path, SHOWS_AGAIN, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const load = () => visit.ask(read, {})
    if ((page.preview === true && form.has('preview')) || asksToBeShown(form)) {
      const { place, ask } = visit
      const before = await load()
      const changed = Object.keys(changesBy(fields, form, before, place).changes)
      const { draft, problems } = await readForm(fields, form, { place, ask, before, changed })
      const sent = { draft, problems: { fields: problems, whole: [] }, shown: shownIn(form) }
      const again = await refusedForm(visit, fields, sent, before)
      return send(visit, await show(visit, before, draft, again))
    }
    const { before, outcome } = await submitChange(visit, form, load, {
      operation: change,
      fields,
      fixed: {},
    })
    if (outcome.kind === 'done') return visit.goTo(afterWrite(path, 'saved'))
    if (outcome.kind === 'not_found') throw new RequestRefusedError(404, outcome.detail)
    const again = await refusedForm(visit, fields, outcome, before)
    return send(visit, await show(visit, before, outcome.draft, again), outcome.status)
  })
}
