import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { tell } from '../notifications/notify.ts'
import { id, utc, version } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { createOperation, objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import { checkVersion, WITHOUT_SCOPE } from '../operation/writing.ts'
import { personOf } from '../people/find-people.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { rolesAt } from '../people/membership.ts'
import { events } from './event-operations.ts'
import { checkOwnRegistration } from './public-events.ts'

const READ = ['events:read']
const WRITE = ['events:write']
const STATES = ['registered', 'attended', 'canceled'] as const

const registrationSchema = z
  .strictObject({
    object: z.literal('event_registration'),
    id,
    event_id: id,
    member_id: id,
    state: z.enum(STATES),
    registered_at: utc,
    canceled_at: utc.nullable(),
    updated_at: utc,
    version,
    member: memberSchema.nullable().optional(),
  })
  .meta({ id: 'EventRegistration' })

export const registrations: Resource<typeof registrationSchema> = {
  object: 'event_registration',
  restPath: '/event-registrations/{id}',
  schema: registrationSchema,
  rows: (db) => sql`
    select g.id, g.event_id, g.user_id as member_id, g.state, g.registered_at, g.canceled_at,
      g.updated_at, g.version
    from event_registrations g where g.school_id = ${db.schoolId}`,
  expansions: { member: expansionOf(members, 'member_id', ['members:read']) },
}

const ops = objectOperations({
  of: registrations,
  table: 'event_registrations',
  one: 'a registration',
  scope: 'events',
  example: EXAMPLE.registration,
})

export const listRegistrations = listOperation({
  name: 'events.registrations',
  title: 'List an event’s registrations',
  summary: 'The registrations of an event, canceled ones included.',
  scopes: READ,
  of: registrations,
  within: { event_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, events, input.event_id),
  filters: {
    state: filter(z.enum(STATES), (state) => sql`r.state = ${state}`),
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    search: searchIn(personOf('member_id')),
  },
  sorts: { registered_at: 'time' },
  defaultSort: '-registered_at',
  examples: [{ title: 'With the members', input: { event_id: EXAMPLE.event, expand: ['member'] } }],
})

export const readRegistration = ops.read()

export const createRegistration = createOperation({
  name: 'events.register',
  title: 'Register a member',
  summary: 'Registers a member if a place is free. A canceled registration becomes active again.',
  scopes: WRITE,
  of: registrations,
  fields: { event_id: id, member_id: id },
  examples: [
    { title: 'Register a member', input: { event_id: EXAMPLE.event, member_id: EXAMPLE.newcomer } },
  ],
  async create(tx, caller, { event_id, member_id }) {
    // Locks the event first, so that two requests cannot both take the last place.
    await checkVersion(tx, 'events', { object: 'event', key: { id: event_id } })
    const event = await loadObject(tx, caller, events, event_id)
    if (event.state === 'canceled') throw conflict('event_canceled', 'The event was canceled.')
    await checkOwnRegistration(tx, caller, { event_id, member_id })
    if ((await rolesAt(tx, member_id)).length === 0) {
      throw invalid('member_id', 'unknown_reference', 'This person is not a member of this school.')
    }
    if (event.capacity !== null && event.registration_count >= event.capacity) {
      throw conflict('full', 'Every place is taken. Raise the capacity, or free a place.')
    }
    const { rows } = await tx.run(sql<{ id: string }>`
      insert into event_registrations as g (school_id, id, event_id, user_id)
      values (${tx.schoolId}, ${uuidv7()}, ${event_id}, ${member_id})
      on conflict (school_id, event_id, user_id) do update
        set state = 'registered', canceled_at = null, registered_at = now() where g.state = 'canceled'
      returning id`)
    const made = rows[0]?.id
    if (made !== undefined) {
      const { title, starts_at } = event
      await tell(tx, 'event_registered', [member_id], { event: title, starts_at })
      return made
    }
    throw conflict('already_registered', 'The member is already registered.')
  },
})

export const undoAttended = ops.action('undo_attended', {
  title: 'Undo a check-in',
  summary:
    'For a member who was checked in by mistake: they are registered, and not marked as attended.',
  ...WITHOUT_SCOPE,
  async change(tx, caller, { id: registration, if_version }) {
    await ops.lock(tx, { id: registration, if_version })
    const { state } = await loadObject(tx, caller, registrations, registration)
    if (state === 'canceled') {
      throw conflict('canceled', 'This registration was canceled. Register the member again.')
    }
    if (state === 'registered') return
    await ops.update(
      tx,
      { id: registration },
      {
        state: 'registered',
      },
    )
  },
})

export const changeRegistration = ops.change({
  summary: 'Marks that the member attended, or cancels the registration and frees the place.',
  fields: { state: z.enum(['attended', 'canceled']).optional() },
  examples: [
    { title: 'The member came', input: { id: EXAMPLE.registration, state: 'attended' } },
    { title: 'The member cannot come', input: { id: EXAMPLE.registration, state: 'canceled' } },
  ],
  async change(tx, caller, { id: registration, if_version, state }) {
    // The count of the event changes too. Who registers locks the event first: another order could
    // deadlock.
    if (state === 'canceled') {
      await tx.run(sql`
        select 1 from events where school_id = ${tx.schoolId} and id = (
          select event_id from event_registrations
          where school_id = ${tx.schoolId} and id = ${registration})
        for update`)
    }
    await ops.lock(tx, { id: registration, if_version })
    const before = await loadObject(tx, caller, registrations, registration)
    if (before.state === 'canceled' && state === 'attended') {
      throw conflict('canceled', 'This registration was canceled. Register the member again.')
    }
    if (before.state === state) return
    await checkOwnRegistration(tx, caller, before)
    if (caller.via === 'account' && before.state === 'attended') {
      throw conflict('wrong_state', 'The member was checked in.')
    }
    await ops.update(
      tx,
      { id: registration },
      {
        state,
        canceled_at: state === 'canceled' ? sql`now()` : undefined,
      },
    )
  },
})

/** Places that a member takes or gives back in an hour. Each is an entry of the audit log. */
export const MOST_REGISTRATIONS = 40

export const registrationOperations = {
  list: listRegistrations,
  read: readRegistration,
  create: createRegistration,
  change: changeRegistration,
}
