import type { ComponentChildren } from 'preact'
import type { OwnedProduct } from '../../../domain/commerce/bought-access.ts'
import type { MemberMeeting } from '../../../domain/consulting/meetings-of-member.ts'
import type { MemberRegistration } from '../../../domain/events/registrations-of-member.ts'
import type { InboxEntry } from '../../../domain/notifications/inbox.ts'
import { Moment, MomentInZone } from '../../../foundation/html/moment.tsx'
import { Badge, ButtonLink } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'

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

export function MeetingRow(props: { meeting: MemberMeeting; timeZone: string; now: Date }) {
  const { meeting, timeZone, now } = props
  const runs = meeting.startedAt <= now && meeting.endedAt > now && meeting.state !== 'canceled'
  return (
    <Row
      title={
        <>
          <Title text={meeting.title} fallback="A meeting" />
          {runs && <Badge tone="good">Now</Badge>}
          {meeting.state === 'canceled' && <Badge tone="over">Canceled</Badge>}
        </>
      }
      notes={
        <p class="row-note">
          <MomentInZone at={meeting.startedAt} timeZone={timeZone} /> ·{' '}
          {meeting.kind === 'study_group' ? 'class of your study group' : 'consulting hour'}
        </p>
      }
    >
      {meeting.roomUrl !== '' ? (
        <ButtonLink look="plain" href={meeting.roomUrl}>
          Open the room
        </ButtonLink>
      ) : (
        meeting.endedAt > now &&
        meeting.state !== 'canceled' && <p class="row-note">The room is not known yet.</p>
      )}
    </Row>
  )
}

export function EventRow(props: { registration: MemberRegistration; timeZone: string; now: Date }) {
  const { event, state } = props.registration
  const place = plainText(event.location)
  const isOver = event.endsAt <= props.now
  const When = event.onlineUrl === null ? Moment : MomentInZone
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
          {event.state === 'canceled' && <Badge tone="over">Canceled</Badge>}
          {state === 'attended' && <Badge tone="good">Attended</Badge>}
        </>
      }
      notes={
        <p class="row-note">
          <When at={event.startsAt} timeZone={props.timeZone} />
          {place !== '' && (
            <>
              {' · '}
              <bdi>{place}</bdi>
            </>
          )}
        </p>
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
