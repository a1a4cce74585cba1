import { type RawBuilder, sql } from 'kysely'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

export const REGISTRATION_STATES = ['registered', 'attended'] as const
export const EVENT_STATES = ['draft', 'published', 'canceled'] as const

/** A member's registration for an event; canceled registrations are not included. */
export interface MemberRegistration extends Keyed {
  readonly id: string
  readonly state: (typeof REGISTRATION_STATES)[number]
  readonly registeredAt: Date
  readonly event: RegisteredEvent
}

export interface RegisteredEvent {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly state: (typeof EVENT_STATES)[number]
  readonly startsAt: Date
  readonly endsAt: Date
  readonly location: string
  readonly onlineUrl: string | null
}

interface RegistrationRow extends RegisteredEvent {
  registration_id: string
  registration_state: MemberRegistration['state']
  registered_at: Date
}

export async function registrationsOf(
  db: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<MemberRegistration[]> {
  const { rows } = await db.run(sql<RegistrationRow>`
    ${selectOf(db, userId)} and ${inRange('r.registered_at', 'r.id', range)}
    ${rangeOrder('r.registered_at', 'r.id', range)}`)
  return newestFirst(rows.map(registrationFromRow), range)
}

/** The member's events that take place and are not over, the next first. */
export async function nextEventsOf(
  db: SchoolDb,
  userId: string,
  limit: number,
): Promise<MemberRegistration[]> {
  const { rows } = await db.run(sql<RegistrationRow>`
    ${selectOf(db, userId)} and e.state = 'published' and e.ends_at > now()
    order by e.starts_at, r.id limit ${limit}`)
  return rows.map(registrationFromRow)
}

function selectOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`
    select r.id as registration_id, r.state as registration_state, r.registered_at,
      e.id, e.slug, e.title, e.description, e.state, e.starts_at as "startsAt",
      e.ends_at as "endsAt", e.location, e.online_url as "onlineUrl"
    from event_registrations r join events e on e.school_id = r.school_id and e.id = r.event_id
    where r.school_id = ${db.schoolId} and r.user_id = ${userId} and r.state <> 'canceled'`
}

function registrationFromRow(row: RegistrationRow): MemberRegistration {
  const { registration_id, registration_state, registered_at, ...event } = row
  return {
    key: { at: registered_at, id: registration_id },
    id: registration_id,
    state: registration_state,
    registeredAt: registered_at,
    event,
  }
}

export async function countRegistrationsOf(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total ${registrationRowsOf(db, userId)}`)
  return rows[0]?.total ?? 0
}

export function registrationRowsOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`from event_registrations
    where school_id = ${db.schoolId} and user_id = ${userId} and state <> 'canceled'`
}
