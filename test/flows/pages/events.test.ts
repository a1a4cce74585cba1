import { describe, expect, test } from 'vitest'
import { MOST_REGISTRATIONS } from '../../../src/domain/events/registration-operations.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aSlug, daysFromNow } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { signedIn, submit, submitAtOnce } from '../../support/operator-like.ts'
import { whileRowHeld } from '../../support/row-lock.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ROOM = 'https://room.example/secret'

interface EventOptions {
  readonly price?: number
  readonly capacity?: number
  readonly inDays?: number
  readonly state?: 'draft' | 'published' | 'canceled'
}

async function anEvent(options: EventOptions = {}): Promise<{ id: string; path: string }> {
  const [id, slug] = [uuidv7(), aSlug()]
  const inDays = options.inDays ?? 3
  await school.db
    .insert('events', {
      id,
      slug,
      title: 'Open day',
      state: options.state ?? 'published',
      starts_at: daysFromNow(inDays),
      ends_at: daysFromNow(inDays + 0.1),
      capacity: options.capacity ?? null,
      price_amount: options.price ?? 0,
      currency: 'USD',
      online_url: ROOM,
    })
    .execute()
  return { id, path: `/events/${slug}` }
}

/** Sends the form that the page has, or would have. */
async function act(visitor: Visitor, path: string, registration: string): Promise<Answer> {
  const fields = hiddenFields((await visitor.get('/')).body, '/sign-out')
  return await visitor.post(path, { ...fields, registration })
}

async function registered(person: TestPerson): Promise<readonly string[]> {
  const { viewer } = await read<{
    viewer: { eventRegistrations: { nodes: { event: { id: string } }[] } }
  }>(
    world,
    school,
    await aToken(world, school, person),
    '{ viewer { eventRegistrations { nodes { event { id } } } } }',
  )
  return viewer.eventRegistrations.nodes.map(({ event }) => event.id)
}

async function placesOf({ id }: TestPerson): Promise<readonly string[]> {
  const rows = await school.db
    .from('event_registrations')
    .select('state')
    .where('user_id', '=', id)
    .execute()
  return rows.map(({ state }) => state)
}

/** Makes a request that has read the row wait at it, and changes the row meanwhile. */
async function whileHeld(
  table: 'events' | 'event_registrations',
  id: string,
  start: () => Promise<Answer>,
  change: string,
): Promise<Answer> {
  const lock = `select from ${table} where id = $1 for update`
  return await whileRowHeld(
    world.database.connection,
    { lock, id },
    start,
    async (waiting, holder) => {
      await waiting(1)
      await holder.query(`update ${table} set ${change} where id = $1`, [id])
      await holder.query('commit')
    },
  )
}

describe('a free event with a place', () => {
  test('takes the registration of a member, which the Member API tells at once', async () => {
    const { id, path } = await anEvent({ capacity: 2 })
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const before = await visitor.get(path)
    expect(before.body).toContain('2 of 2 left')
    expect(before.body).not.toContain(ROOM)
    const done = await submit(visitor, path, path)
    expect(done.headers.location).toBe(`${path}?done=registered`)
    expect(await registered(ada)).toEqual([id])
    const after = await visitor.get(path)
    expect(after.body).toContain(`href="${ROOM}"`)
    expect(after.body).toContain('1 of 2 left')

    expect((await submit(visitor, path, path)).headers.location).toBe(`${path}?done=canceled`)
    expect(await registered(ada)).toEqual([])
    expect((await visitor.get(path)).body).not.toContain(ROOM)
    expect((await submit(visitor, path, path)).headers.location).toBe(`${path}?done=registered`)
  })

  test('asks a visitor to sign in, and comes back', async () => {
    const { path } = await anEvent()
    const { body } = await new Visitor(world, school).get(path)
    expect(body).toContain(`href="/sign-in?return_to=${encodeURIComponent(path)}"`)
    expect(body).not.toContain(ROOM)
  })
})

test('a canceled event is shown to its members alone', async () => {
  const { id, path } = await anEvent()
  const visitor = await signedIn(world, school, await world.aMember(school))
  await submit(visitor, path, path)
  await school.db.update('events').set({ state: 'canceled' }).where('id', '=', id).execute()
  expect((await visitor.get(path)).body).toContain('This event was canceled')
  expect((await new Visitor(world, school).get(path)).statusCode).toBe(404)
})

test('an event that is over says so to its members, and leads to no room any more', async () => {
  const { id, path } = await anEvent({ inDays: -1 })
  const ada = await world.aMember(school)
  const registration = { id: uuidv7(), event_id: id, user_id: ada.id }
  await school.db.insert('event_registrations', registration).execute()
  const visitor = await signedIn(world, school, ada)
  const { body } = await visitor.get(path)
  expect(body).toContain('This event is over.')
  expect(body).not.toContain('You are registered')
  expect(body).not.toContain('after you register')
  expect(body).not.toContain(ROOM)
  const list = (await visitor.get('/account/events')).body
  expect(list).toContain(path)
  expect(list).not.toContain(ROOM)
})

test('a paid event says whom to ask for a place, unless every place is taken', async () => {
  const { id, path } = await anEvent({ price: 4500, capacity: 1 })
  const visitor = new Visitor(world, school)
  const { body } = await visitor.get(path)
  expect(body).toContain('Ask the school how to register.')
  expect(body).toContain(`href="/sign-in?return_to=${encodeURIComponent(path)}"`)
  const ada = await world.aMember(school)
  const registration = { id: uuidv7(), event_id: id, user_id: ada.id }
  await school.db.insert('event_registrations', registration).execute()
  const full = (await visitor.get(path)).body
  expect(full).toContain('Every place is taken.')
  expect(full).not.toContain('how to register')
  expect((await (await signedIn(world, school, ada)).get(path)).body).toContain(
    'You are registered',
  )
})

describe('attacks', () => {
  test('a member takes a place at an event that is paid, over, full, a draft or canceled', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const full = await anEvent({ capacity: 1 })
    const first = await signedIn(world, school, await world.aMember(school))
    await submit(first, full.path, full.path)
    const refused = [await anEvent({ price: 100 }), await anEvent({ inDays: -3 }), full]
    for (const { path } of refused) {
      const answer = await act(visitor, path, 'register')
      expect(answer.headers.location).toBe(`${path}?done=refused`)
      expect((await visitor.get(path)).body).not.toContain(ROOM)
    }
    for (const state of ['draft', 'canceled'] as const) {
      const { path } = await anEvent({ state })
      expect((await act(visitor, path, 'register')).statusCode).toBe(404)
    }
    expect(await registered(ada)).toEqual([])
  })

  test('two members take the last place in the same moment', async () => {
    const { id, path } = await anEvent({ capacity: 1 })
    const visitors = await Promise.all(
      [1, 2, 3].map(async () => await signedIn(world, school, await world.aMember(school))),
    )
    const answers = await submitAtOnce(
      visitors.map((visitor) => [visitor, path] as const),
      path,
    )
    const locations = answers.map(({ headers }) => headers.location)
    expect(locations.filter((one) => one === `${path}?done=registered`)).toHaveLength(1)
    const rows = await school.db
      .from('event_registrations')
      .select('id')
      .where('event_id', '=', id)
      .execute()
    expect(rows).toHaveLength(1)
  })

  test('a member gives back a place at a paid event, or after it', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    for (const options of [{ price: 100 }, { inDays: -3 }]) {
      const { id, path } = await anEvent(options)
      const registration = { id: uuidv7(), event_id: id, user_id: ada.id }
      await school.db.insert('event_registrations', registration).execute()
      const answer = await act(visitor, path, 'cancel')
      expect(answer.headers.location).toBe(`${path}?done=refused`)
    }
    expect(await registered(ada)).toHaveLength(2)
  })

  test('a member takes a place while the event becomes paid, a draft or over', async () => {
    for (const change of [
      "state = 'draft'",
      'price_amount = 100',
      "ends_at = now() - interval '1 minute', starts_at = now() - interval '1 hour'",
    ]) {
      const { id, path } = await anEvent()
      const ada = await world.aMember(school)
      const visitor = await signedIn(world, school, ada)
      const answer = await whileHeld('events', id, () => act(visitor, path, 'register'), change)
      expect(answer.headers.location, change).toBe(`${path}?done=refused`)
      expect(await placesOf(ada)).toEqual([])
    }
  })

  test('a member gives back a place at the moment of the check-in', async () => {
    const { id, path } = await anEvent()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const registration = { id: uuidv7(), event_id: id, user_id: ada.id }
    await school.db.insert('event_registrations', registration).execute()
    const answer = await whileHeld(
      'event_registrations',
      registration.id,
      () => act(visitor, path, 'cancel'),
      "state = 'attended'",
    )
    expect(answer.headers.location).toBe(`${path}?done=refused`)
    expect(await placesOf(ada)).toEqual(['attended'])
  })

  test('a member fills the audit log by taking and giving back a place', async () => {
    const { path } = await anEvent()
    const visitor = await signedIn(world, school, await world.aMember(school))
    const fields = hiddenFields((await visitor.get('/')).body, '/sign-out')
    for (let n = 0; n < MOST_REGISTRATIONS; n++) {
      const registration = n % 2 === 0 ? 'register' : 'cancel'
      expect((await visitor.post(path, { ...fields, registration })).statusCode).toBe(303)
    }
    const refused = await visitor.post(path, { ...fields, registration: 'register' })
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await visitor.get(path)).body).not.toContain(ROOM)
    const other = await signedIn(world, school, await world.aMember(school))
    expect((await submit(other, path, path)).headers.location).toBe(`${path}?done=registered`)
  })

  test('another site registers a member', async () => {
    const { path } = await anEvent()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const fields = hiddenFields((await visitor.get(path)).body, path)
    const forged = await visitor.post(path, fields, { origin: 'https://evil.example' })
    expect(forged.statusCode).toBe(403)
    expect(await registered(ada)).toEqual([])
  })

  test('an event of another school is used, by a member of both', async () => {
    const { path } = await anEvent()
    const other = await world.aSchool()
    const ada = await world.aMember(school)
    await other.db.insert('school_members', { user_id: ada.id, roles: ['student'] }).execute()
    const visitor = await signedIn(world, other, ada)
    expect((await act(visitor, path, 'register')).statusCode).toBe(404)
  })
})
