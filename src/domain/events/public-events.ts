import { type RawBuilder, sql } from 'kysely'
import { containsWords, plannedFor } from '../../foundation/db/contains-words.ts'
import { inRange, type Keyed, type KeysetRange, rangeOrder } from '../../foundation/db/keyset.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { htmlOf } from '../content/rendered-texts.ts'
import { conflict, notFound } from '../operation/refusal.ts'

/**
 * Where members take and give back places themselves. The school does the rest, for example what
 * has a price.
 */
const IS_FOR_MEMBERS = sql<boolean>`(events.price_amount = 0 and events.ends_at > now()
  and events.state = 'published')`

/**
 * What a member may do on the page of an event: with a place of their own alone. It is judged in
 * the transaction that writes, because the event may have changed since the page was read.
 * Operators are judged by their scopes.
 */
export async function checkOwnRegistration(
  tx: SchoolTx,
  caller: Pick<Actor, 'via' | 'userId'>,
  { event_id, member_id }: { readonly event_id: string; readonly member_id: string },
): Promise<void> {
  if (caller.via !== 'account') return
  if (caller.userId !== member_id) throw notFound('event_registration')
  const { rows } = await tx.run(sql`
    select from events where school_id = ${tx.schoolId} and id = ${event_id} and ${IS_FOR_MEMBERS}`)
  if (rows.length === 0)
    throw conflict('wrong_state', 'Members cannot do this themselves at this event.')
}

/** An event as visitors see it; only registered members see its online address. */
export interface PublicEvent extends Keyed {
  readonly id: string
  readonly slug: string
  readonly title: string
  /** Markdown, as the school wrote it. */
  readonly description: string
  readonly startsAt: Date
  readonly endsAt: Date
  readonly location: string
  readonly isOnline: boolean
  /** Null means no limit. */
  readonly capacity: number | null
  /** In minor units of the currency. */
  readonly priceAmount: number
  readonly currency: string
}

const COLUMNS = sql`
  id, slug, title, description, starts_at as "startsAt", ends_at as "endsAt", location,
  online_url is not null as "isOnline", capacity, price_amount as "priceAmount", currency`

type EventRow = Omit<PublicEvent, 'key'>

/** An event with all that one viewer may know. */
export interface EventOfViewer extends EventRow {
  /** Canceled events are shown to members who are registered. */
  readonly state: 'published' | 'canceled'
  /** The text as HTML; null if it is not rendered yet. */
  readonly html: string | null
  readonly isPublic: boolean
  readonly isOver: boolean
  readonly registrationCount: number
  /** Null for a viewer without one, or whose registration is canceled. */
  readonly registration: { readonly id: string; readonly state: 'registered' | 'attended' } | null
  /** Null unless the viewer is registered. */
  readonly onlineUrl: string | null
  /** Whether the viewer may give the place back: not that of a paid event, and not after it. */
  readonly canCancel: boolean
}

const SEARCHED = ['title', 'description', 'location']
const TO_COME = sql`ends_at > now()`

/** Published events to come that contain every word of the search, for a search over all kinds. */
export function eventHits(db: SchoolDb, search: string, limit: number): RawBuilder<unknown> {
  return sql`
    select 'event' as kind, id, slug, title, description as text from events
    where school_id = ${db.schoolId} and state = 'published' and ${TO_COME}
      and ${containsWords(SEARCHED, search)}
    order by starts_at, id limit ${limit}`
}

/** Published events that are not over, the next one first: the reverse of the list's order. */
export async function publicEventsToCome(
  db: SchoolDb,
  search: string,
  { after, limit }: Pick<KeysetRange, 'after' | 'limit'>,
): Promise<PublicEvent[]> {
  return await readEvents(db, TO_COME, search, { before: after, limit, fromEnd: true })
}

/** Published events that are over, the latest first. */
export async function publicEventsOfThePast(
  db: SchoolDb,
  search: string,
  { after, limit }: Pick<KeysetRange, 'after' | 'limit'>,
): Promise<PublicEvent[]> {
  return await readEvents(db, sql`ends_at <= now()`, search, { after, limit, fromEnd: false })
}

async function readEvents(
  db: SchoolDb,
  when: RawBuilder<unknown>,
  search: string,
  range: KeysetRange,
): Promise<PublicEvent[]> {
  const { rows } = await db.run(sql<EventRow>`
    select ${COLUMNS} from events
    where school_id = ${db.schoolId} and state = 'published' and ${when}
      and ${inRange('starts_at', 'id', range)}
      and ${containsWords(SEARCHED, search)}
    ${rangeOrder('starts_at', 'id', range)} ${plannedFor(search)}`)
  return rows.map((row) => ({ ...row, key: { at: row.startsAt, id: row.id } }))
}

/**
 * A public event; for this member also a canceled one for which they are registered. For the
 * preview of an operator it may be a draft.
 */
export async function findPublicEvent(
  db: SchoolDb,
  slug: string,
  userId: string | null = null,
  isPreview = false,
): Promise<EventOfViewer | undefined> {
  const { rows } = await db.run(sql<EventOfViewer>`
    select ${COLUMNS}, state, ${htmlOf('events')} as html, state = 'published' as "isPublic", ends_at <= now() as "isOver",
      registration_count as "registrationCount", r.registration,
      case when r.registration is not null then online_url end as "onlineUrl",
      ${IS_FOR_MEMBERS} and coalesce(r.registration->>'state' = 'registered', false) as "canCancel"
    from events left join lateral (
      select json_build_object('id', g.id, 'state', g.state) as registration
      from event_registrations g
      where g.school_id = events.school_id and g.event_id = events.id and g.user_id = ${userId}
        and g.state <> 'canceled') r on true
    where school_id = ${db.schoolId} and slug = ${slug}
      ${
        isPreview
          ? sql``
          : sql`and (state = 'published' or (state = 'canceled' and r.registration is not null))`
      }`)
  return rows[0]
}

type RegistrationState = 'canceled' | 'registered' | 'attended' | 'over' | 'paid' | 'full' | 'open'

/** Where a viewer stands with an event. Who registers for a paid one pays at the school. */
export function registrationState(event: EventOfViewer): RegistrationState {
  if (event.state === 'canceled') return 'canceled'
  if (event.registration?.state === 'attended') return 'attended'
  if (event.isOver) return 'over'
  if (event.registration !== null) return 'registered'
  if (event.capacity !== null && event.registrationCount >= event.capacity) return 'full'
  return event.priceAmount > 0 ? 'paid' : 'open'
}
