import type { FastifyInstance } from 'fastify'
import {
  type Booking,
  MEETING_STATES,
  meetingsOf,
  meetingsToCome,
  pastMeetings,
  withDetails,
} from '../../../domain/consulting/meetings-of-member.ts'
import { type OpenTime, openTimesOf } from '../../../domain/consulting/open-times.ts'
import { moveSeat, removeAttendee } from '../../../domain/consulting/seat-operations.ts'
import { performOperation } from '../../../domain/operation/operation.ts'
import { Button, Facts, Form } from '../../../foundation/html/components.tsx'
import { Select } from '../../../foundation/html/form-fields.tsx'
import { Hours, hoursInWords, Moment } from '../../../foundation/html/moment.tsx'
import { PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { NavLink, queryOf, type SiteFrame } from '../frame/layout.tsx'
import { readListPage } from '../frame/list-parts.tsx'
import { memberPage } from '../frame/member-page.tsx'
import { countOwnChange, memberActor } from '../frame/own-places.ts'
import { CALENDAR_PATH, MEMBER_PATHS } from '../frame/paths.ts'
import { memberVisit, type SignedInVisit } from '../frame/visit.ts'
import { type ListProps, memberList } from './lists.tsx'
import { BookingBadge, BookingRow, HeldBy, Room, ToCalendar } from './rows.tsx'

const PATH = `${MEMBER_PATHS.bookings}/:id`

const NOTICES = {
  canceled: 'Your booking is canceled.',
  moved: 'Your booking is moved.',
  refused: {
    warning:
      'It was not changed now: the time is taken, it is too late, or you changed it before. This is how it is.',
  },
}

/** Seats on services, which members may move and cancel, and classes of study groups. */
export function addBookingRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(MEMBER_PATHS.bookings, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session, db } = visit
    const { id } = session.person
    const now = session.readAt
    const when = queryOf(request).get('when') === 'past' ? 'past' : 'to_come'
    const read = when === 'past' ? pastMeetings : meetingsToCome
    const found = await readListPage(request, `bookings ${when}`, (range) =>
      read(db, id, { states: MEETING_STATES, now }, range),
    )
    const page = bookingsPage({
      ...visit.frame(NOTICES),
      ...{ now, when, timeZone: request.school.timeZone },
      page: { ...found, rows: await withDetails(db, found.rows) },
    })
    return visit.page(page)
  })

  app.get(PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const booking = await find(visit)
    if (booking === undefined) throw new RequestRefusedError(404, 'You have no such booking.')
    const { readAt: now } = visit.session
    const isOpen = booking.changesUntil !== null && booking.changesUntil > now
    const page = bookingPage({
      ...visit.frame(),
      ...{ booking, now, timeZone: request.school.timeZone },
      openTimes: isOpen
        ? await openTimesOf(visit.db, booking.id, visit.session.person.id)
        : undefined,
    })
    return visit.page(page)
  })

  app.post(PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply, MEMBER_PATHS.bookings)
    const form = visit.form()
    await countOwnChange(visit)
    const change = form.get('change')
    const booking = await find(visit)
    // A second click finds the seat gone.
    if (booking === undefined) {
      return visit.goTo(
        `${MEMBER_PATHS.bookings}?done=${change === 'cancel' ? 'canceled' : 'refused'}`,
      )
    }
    const seat = { id: booking.id, member_id: visit.session.person.id }
    const actor = memberActor(visit)
    const [slot_id, on] = (form.get('time') ?? '').split(' ')
    const outcome =
      change === 'cancel'
        ? await performOperation(removeAttendee, visit.db, actor, seat)
        : change === 'move' &&
          (await performOperation(moveSeat, visit.db, actor, { ...seat, slot_id, on }))
    const isDone = outcome !== false && outcome.kind === 'done'
    const word = isDone ? (change === 'cancel' ? 'canceled' : 'moved') : 'refused'
    return visit.goTo(`${MEMBER_PATHS.bookings}?done=${word}`)
  })
}

async function find({ request, db, session }: SignedInVisit): Promise<Booking | undefined> {
  const { id } = request.params as { id: string }
  const range = { limit: 1, fromEnd: false }
  const found = isUuid(id) ? await meetingsOf(db, session.person.id, { id }, range) : []
  const [booking] = await withDetails(db, found)
  return booking
}

const PAST = `${MEMBER_PATHS.bookings}?when=past`

interface BookingsProps extends ListProps<Booking> {
  now: Date
  when: 'to_come' | 'past'
}

export function bookingsPage(props: BookingsProps): string {
  const { when, timeZone, now } = props
  const isPast = when === 'past'
  const path = isPast ? PAST : MEMBER_PATHS.bookings
  return memberList({
    ...props,
    title: 'Your bookings',
    lead: 'Consulting hours and classes of your study groups.',
    path,
    label: isPast ? 'Older' : 'Later',
    above: (
      <>
        <p>
          <a href={CALENDAR_PATH}>Show them in your own calendar</a>
        </p>
        <nav class="tabs" aria-label="Which bookings">
          <NavLink href={MEMBER_PATHS.bookings} here={path}>
            To come
          </NavLink>
          <NavLink href={PAST} here={path}>
            Past
          </NavLink>
        </nav>
      </>
    ),
    empty: isPast ? (
      <p>You have no past bookings.</p>
    ) : (
      <p>No booking ahead. A consulting hour or class that you book appears here.</p>
    ),
    row: (booking) => <BookingRow booking={booking} timeZone={timeZone} now={now} />,
  })
}

interface BookingProps extends SiteFrame {
  booking: Booking
  /** Undefined if the member cannot change it. */
  openTimes: readonly OpenTime[] | undefined
  timeZone: string
  now: Date
}

export function bookingPage(props: BookingProps): string {
  const { booking, timeZone } = props
  const title = plainText(booking.title) || 'A meeting'
  return memberPage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} up={{ url: MEMBER_PATHS.bookings, label: 'Your bookings' }}>
          <BookingBadge {...props} />
        </PageHead>
        <section class="panel" aria-label="About this booking">
          <Facts
            look="facts facts-short"
            rows={[
              ['When', <Hours from={booking.startedAt} to={booking.endedAt} timeZone={timeZone} />],
              ['What', <HeldBy {...props} />],
            ]}
          />
          <Room {...props} />
          <ToCalendar id={booking.id} />
        </section>
        <Changes {...props} />
      </>
    ),
  })
}

function Changes({ booking, openTimes, viewer, timeZone, now }: BookingProps) {
  const { id, state, endedAt, changesUntil } = booking
  const form = { action: `${MEMBER_PATHS.bookings}/${id}`, formToken: viewer?.formToken ?? '' }
  if (state === 'canceled' || endedAt <= now) return null
  if (openTimes === undefined || changesUntil === null) {
    return (
      <p>
        {changesUntil === null
          ? 'You cannot move or cancel this booking here. Ask the school.'
          : 'It is too late to move or cancel this booking here. Ask the school.'}
      </p>
    )
  }
  const until = (
    <>
      You can do it until <Moment at={changesUntil} timeZone={timeZone} />.
    </>
  )
  return (
    <>
      <Panel title="Move it" lead={until}>
        {openTimes.length === 0 ? (
          <p>No other time is open at the moment.</p>
        ) : (
          <Form {...form} hidden={{ change: 'move' }}>
            <Select
              name="time"
              label="New time"
              value=""
              options={openTimes.map(({ slotId, on, startsAt, endsAt }) => [
                `${slotId} ${on}`,
                hoursInWords(startsAt, endsAt, timeZone),
              ])}
            />
            <Button look="primary">Move my booking</Button>
          </Form>
        )}
      </Panel>
      <Panel title="Cancel it" tone="danger" lead={until}>
        <Form {...form} hidden={{ change: 'cancel' }}>
          <p class="field-hint">Your place becomes free for others. You cannot undo it.</p>
          <Button look="danger">Cancel my booking</Button>
        </Form>
      </Panel>
    </>
  )
}
