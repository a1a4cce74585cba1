import type { ComponentChildren } from 'preact'
import type { OwnedProduct } from '../../../domain/commerce/bought-access.ts'
import { type Booking, ROOM_OPENS_MINUTES } from '../../../domain/consulting/meetings-of-member.ts'
import type { MemberRegistration } from '../../../domain/events/registrations-of-member.ts'
import type { InboxEntry } from '../../../domain/notifications/inbox.ts'
import { Name } from '../../../foundation/html/components.tsx'
import { endInWords, Hours, Moment } from '../../../foundation/html/moment.tsx'
import { Badge, ButtonLink } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { calendarFile, MEMBER_PATHS } from '../frame/paths.ts'

/** A title that the school wrote, in its own direction. */
export function Title({ text, fallback }: { text: string; fallback: string }) {
  return <bdi>{plainText(text) || fallback}</bdi>
}

/** One thing of a list: what it is, notes below, and what to do beside it. */
export function Row(props: {
  id?: string
  title: ComponentChildren
  notes?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <li id={props.id}>
      <div class="row-words">
        <p class="row-title">{props.title}</p>
        {props.notes}
      </div>
      {props.children}
    </li>
  )
}

interface BookingProps {
  booking: Booking
  timeZone: string
  now: Date
}

const isToCome = ({ booking, now }: BookingProps) =>
  booking.endedAt > now && booking.state !== 'canceled'

export function BookingRow(props: BookingProps) {
  const { booking, timeZone } = props
  const title = <Title text={booking.title} fallback="A meeting" />
  return (
    <Row
      title={
        <>
          {booking.kind === 'consulting' && isToCome(props) ? (
            <a href={`${MEMBER_PATHS.bookings}/${booking.id}`}>{title}</a>
          ) : (
            title
          )}
          <BookingBadge {...props} />
        </>
      }
      notes={
        <>
          <p class="row-note">
            <Hours from={booking.startedAt} to={booking.endedAt} timeZone={timeZone} />
          </p>
          <p class="row-note">
            <HeldBy {...props} />
          </p>
          {isToCome(props) && <ToCalendar id={booking.id} />}
          {booking.changesUntil !== null && booking.changesUntil > props.now && (
            <p class="row-note">
              <a href={`${MEMBER_PATHS.bookings}/${booking.id}`}>
                Move or cancel<span class="visually-hidden"> {title}</span>
              </a>
            </p>
          )}
        </>
      }
    >
      <Room {...props} />
    </Row>
  )
}

export function BookingBadge({ booking, timeZone, now }: BookingProps) {
  const { state, startedAt, endedAt } = booking
  if (state === 'canceled') return <Badge tone="over">Canceled</Badge>
  return <RunsNow from={startedAt} to={endedAt} timeZone={timeZone} now={now} />
}

function RunsNow(props: { from: Date; to: Date; timeZone: string; now: Date }) {
  const { from, to, timeZone, now } = props
  if (from > now || to <= now) return null
  return <Badge tone="good">Now, until {endInWords(from, to, timeZone)}</Badge>
}

/** What kind of meeting it is, and with whom. */
export function HeldBy({ booking }: BookingProps) {
  const [first, ...others] = booking.lecturers
  return (
    <>
      {booking.kind === 'study_group' ? 'Class of your study group' : 'Consulting hour'}
      {first !== undefined && (
        <>
          {' with '}
          <Name text={first} fallback="your lecturer" />
          {others.map((name) => (
            <>
              {', '}
              <Name text={name} fallback="another lecturer" />
            </>
          ))}
        </>
      )}
    </>
  )
}

/** The way into a meeting: open shortly before it begins, and until it ends. */
export function Room(props: BookingProps) {
  const { booking, timeZone, now } = props
  if (!isToCome(props)) return null
  if (booking.roomUrl === '') {
    return <p class="row-note">No room is given yet. The school tells you where it is.</p>
  }
  const opensAt = new Date(booking.startedAt.getTime() - ROOM_OPENS_MINUTES * 60_000)
  return opensAt > now ? (
    <p class="row-note">
      The room opens here on <Moment at={opensAt} timeZone={timeZone} />.
    </p>
  ) : (
    <ButtonLink look="plain" href={booking.roomUrl}>
      Open the room
    </ButtonLink>
  )
}

export function ToCalendar({ id }: { id: string }) {
  return (
    <p class="row-note">
      <a href={calendarFile(id)}>Add to your calendar</a>
    </p>
  )
}

export function EventRow(props: { registration: MemberRegistration; timeZone: string; now: Date }) {
  const { event, state } = props.registration
  const place = plainText(event.location)
  const isOver = event.endsAt <= props.now
  return (
    <Row
      title={
        <>
          {event.state === 'published' ? (
            <a href={`/events/${event.slug}`}>
              <Title text={event.title} fallback="An event" />
            </a>
          ) : (
            <Title text={event.title} fallback="An event" />
          )}
          {event.state === 'canceled' ? (
            <Badge tone="over">Canceled</Badge>
          ) : (
            <RunsNow
              from={event.startsAt}
              to={event.endsAt}
              timeZone={props.timeZone}
              now={props.now}
            />
          )}
          {state === 'attended' && <Badge tone="good">Attended</Badge>}
        </>
      }
      notes={
        <>
          <p class="row-note">
            <Hours
              from={event.startsAt}
              to={event.endsAt}
              timeZone={props.timeZone}
              inZone={event.onlineUrl !== null}
            />
            {place !== '' && (
              <>
                {' · '}
                <bdi>{place}</bdi>
              </>
            )}
          </p>
          {event.state === 'published' && !isOver && <ToCalendar id={event.id} />}
        </>
      }
    >
      {event.onlineUrl !== null &&
        event.state === 'published' &&
        state !== 'attended' &&
        !isOver && (
          <ButtonLink look="plain" href={event.onlineUrl}>
            Join online
          </ButtonLink>
        )}
    </Row>
  )
}

export function ProductRow(props: { product: OwnedProduct; timeZone: string }) {
  const { product } = props
  return (
    <Row
      title={
        <a href={`/products/${product.slug}`}>
          <Title text={product.title} fallback="A download" />
        </a>
      }
      notes={
        <p class="row-note">
          Yours since <Moment at={product.grantedAt} timeZone={props.timeZone} />
        </p>
      }
    />
  )
}

/** Leads to what the message is about, if it says so. */
export function EntryTitle({ entry }: { entry: InboxEntry }) {
  const title = <Title text={entry.title} fallback="A message" />
  return (
    <>
      {entry.url === null ? title : <a href={entry.url}>{title}</a>}
      {entry.readAt === null && <Badge tone="good">New</Badge>}
    </>
  )
}

export function InboxRow(props: { entry: InboxEntry; timeZone: string }) {
  const { entry, timeZone } = props
  const body = plainText(entry.body)
  return (
    <Row
      title={<EntryTitle entry={entry} />}
      notes={
        <>
          {body !== '' && (
            <p>
              <bdi>{body}</bdi>
            </p>
          )}
          <p class="row-note">
            <Moment at={entry.createdAt} timeZone={timeZone} />
          </p>
        </>
      }
    />
  )
}
