import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readEvent } from '../../../../domain/events/event-operations.ts'
import {
  changeRegistration,
  readRegistration,
  undoAttended,
} from '../../../../domain/events/registration-operations.ts'
import { id } from '../../../../domain/operation/fields.ts'
import { Button, Form } from '../../../../foundation/html/components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { showList } from '../crud/list.tsx'
import type { ListPlan } from '../crud/list-plan.ts'
import { idIn } from '../crud/named.ts'
import { objectPath } from '../crud/resource.ts'
import type { OutputOf, Row } from '../crud/row.ts'
import { operatorVisit } from '../frame/operator.ts'
import { events, registrationList, registrations } from './events.tsx'

const ROUTE = '/admin/events/:id/check-in'

const sentForm = z.object({ registration: id, to: z.enum(['attended', 'registered']) })

/**
 * The list of an event at its door: one button for each person, which acts at once, and undoes it.
 */
export function addCheckInRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(ROUTE, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const event = await visit.ask(readEvent, { id: idIn(request) })
    const formToken = visit.frame().viewer?.formToken ?? ''
    const path = objectPath(events, event, '/check-in')
    const query = queryOf(request)
    query.delete('done')
    const action = query.size === 0 ? path : `${path}?${query}`
    return await showList(visit, {
      resource: registrations,
      plan: { ...registrationList, columns: checkInColumns(action, formToken) },
      path,
      heading: 'Check in',
      lead: 'Find the person by name or email, and press the button. A second press undoes it.',
      up: { url: objectPath(events, event), label: plainText(event.title) || 'The event' },
      add: undefined,
      empty: 'There are no registrations yet.',
      fixed: { event_id: event.id },
    })
  })

  app.post(ROUTE, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const event = await visit.ask(readEvent, { id: idIn(request) })
    const sent = sentForm.safeParse(Object.fromEntries(form))
    if (!sent.success) throw new RequestRefusedError(400, 'The form is not complete.')
    const registration = await visit.ask(readRegistration, { id: sent.data.registration })
    if (registration.event_id !== event.id) {
      throw new RequestRefusedError(404, 'There is no such registration at this event.')
    }
    const outcome =
      sent.data.to === 'attended'
        ? await visit.perform(changeRegistration, { id: registration.id, state: 'attended' })
        : await visit.perform(undoAttended, { id: registration.id })
    if (outcome.kind !== 'done') {
      throw new RequestRefusedError(409, 'detail' in outcome ? outcome.detail : 'Try again.')
    }
    const query = queryOf(request)
    query.set('done', sent.data.to === 'attended' ? 'attended' : 'undo-attended')
    const to = `${objectPath(events, event, '/check-in')}?${query}`
    return visit.goTo(to)
  })
}

type Registration = OutputOf<typeof readRegistration>

/** Who comes, and a button instead of when they registered. */
export function checkInColumns(action: string, formToken: string): ListPlan['columns'] {
  const button = {
    label: 'Check in',
    show: (row: Row) =>
      row.state === 'canceled' ? null : (
        <CheckIn row={row as unknown as Registration} action={action} formToken={formToken} />
      ),
  }
  return [...registrationList.columns.slice(0, 3), button]
}

function CheckIn(props: { row: Registration; action: string; formToken: string }) {
  const { row, action, formToken } = props
  const isThere = row.state === 'attended'
  return (
    <Form
      action={action}
      formToken={formToken}
      hidden={{ registration: row.id, to: isThere ? 'registered' : 'attended' }}
    >
      <Button look={isThere ? 'quiet' : 'primary'}>
        {isThere ? 'Undo' : 'Check in'}
        <span class="visually-hidden"> {plainText(row.member?.name ?? '')}</span>
      </Button>
    </Form>
  )
}
