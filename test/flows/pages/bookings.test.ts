import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { cancelMeeting } from '../../../src/domain/consulting/meeting-operations.ts'
import { MOST_REGISTRATIONS } from '../../../src/domain/events/registration-operations.ts'
import { inboxOf } from '../../../src/domain/notifications/inbox.ts'
import { type Answer, hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../../support/consulting.ts'
import { signedIn } from '../../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../../support/performing.ts'
import { whileRowHeld } from '../../support/row-lock.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const BOOKINGS = '/account/bookings'

const wordsOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

async function aVisitor(at = school): Promise<{ ada: TestPerson; visitor: Visitor }> {
  const ada = await world.aMember(at)
  return { ada, visitor: await signedIn(world, at, ada) }
}

/** Sends the form that the page of the booking has, or would have. */
async function change(
  visitor: Visitor,
  id: string,
  fields: Record<string, string>,
): Promise<string> {
  const answer = await forged(visitor, id, fields)
  return String(answer.headers.location)
}

async function forged(
  visitor: Visitor,
  id: string,
  fields: Record<string, string>,
): Promise<Answer> {
  const ours = hiddenFields((await visitor.get('/')).body, '/sign-out')
  return await visitor.post(`${BOOKINGS}/${id}`, { ...ours, ...fields })
}

/** The times that the page of a booking offers. */
async function openTimes(visitor: Visitor, id: string): Promise<string[]> {
  const { body } = await visitor.get(`${BOOKINGS}/${id}`)
  return [...body.matchAll(/<option value="([^"]+)"/g)].map(([, value = '']) => value)
}

async function seatsOf(meeting: string): Promise<string[]> {
  const rows = await school.db
    .from('meeting_seats')
    .select('user_id')
    .where('meeting_id', '=', meeting)
    .execute()
  return rows.map((row) => row.user_id)
}

async function bookedBy({ id }: TestPerson) {
  const { rows } = await school.db.run(sql<{
    id: string
    starts: string
    state: string
    length: string
  }>`
    select m.id, m.starts_at::text as starts, m.state, (m.ends_at - m.starts_at)::text as length
    from meeting_seats s join consulting_meetings m on m.school_id = s.school_id and m.id = s.meeting_id
    where s.school_id = ${school.id} and s.user_id = ${id} order by m.starts_at`)
  return rows
}

async function auditOf(subject: string) {
  const { rows } = await school.db.run(sql<{ by: string; via: string; operation: string }>`
    select actor_user_id as by, detail ->> 'via' as via, detail ->> 'operation' as operation
    from audit_entries where school_id = ${school.id} and subject = ${subject} order by id`)
  return rows
}

const MOVED = `${BOOKINGS}?done=moved`
const CANCELED = `${BOOKINGS}?done=canceled`
const REFUSED = `${BOOKINGS}?done=refused`

describe('a booking', () => {
  test('shows when it ends and with whom, and a running one until when it runs', async () => {
    const { ada, visitor } = await aVisitor()
    const host = await world.aMember(school, ['lecturer'])
    const service = await aService(school, [], { host })
    const meeting = await aMeeting(school, { service, seats: [ada], start: hoursFromNow(-0.5) })
    for (const path of ['/account', BOOKINGS, `${BOOKINGS}/${meeting}`]) {
      const words = wordsOf((await visitor.get(path)).body)
      expect(words, path).toMatch(/Now, until (\d+ \w+ \d+, )?\d\d:\d\d/)
      expect(words, path).toMatch(/\d\d:\d\d to (\d+ \w+ \d+, )?\d\d:\d\d \(UTC time\)/)
      expect(words, path).toContain(`Consulting hour with ${host.name}`)
    }
  })

  test('the room opens a quarter of an hour before the start, and closes at the end', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [])
    const hasRoom = async (hours: number, state?: 'canceled') => {
      const start = hoursFromNow(hours)
      const sketch = { service, seats: [ada], start, ...(state && { state }) }
      const id = await aMeeting(school, sketch)
      const { body } = await visitor.get(`${BOOKINGS}/${id}`)
      const list = (await visitor.get(BOOKINGS)).body
      expect(list.includes(`https://rooms.test/${id}`)).toBe(body.includes('rooms.test'))
      return body.includes(`href="https://rooms.test/${id}"`)
    }
    expect([await hasRoom(0.3), await hasRoom(0.2), await hasRoom(-0.9)]).toEqual([
      false,
      true,
      true,
    ])
    expect([await hasRoom(-1.1), await hasRoom(0.2, 'canceled')]).toEqual([false, false])
  })

  test('does not show the email of a lecturer whom the school knows by it alone', async () => {
    const { ada, visitor } = await aVisitor()
    const host = await world.aPerson()
    await school.db.insert('school_members', { user_id: host.id, roles: ['lecturer'] }).execute()
    const service = await aService(school, [], { host })
    const meeting = await aMeeting(school, { service, seats: [ada] })
    const { body } = await visitor.get(`${BOOKINGS}/${meeting}`)
    expect(body).not.toContain(host.email)
    expect(body).not.toContain(host.name)
  })

  test('of another member, of another school or made up is not found, and not changed', async () => {
    const other = await world.aSchool()
    const mallory = await world.aMember(school)
    await world.aMember(other, ['student'], mallory)
    const { ada } = await aVisitor()
    const service = await aService(school, [], { changesUntil: 0 })
    const theirs = await aMeeting(school, { service, seats: [ada] })
    const elsewhere = await aMeeting(other, {
      service: await aService(other, [], { changesUntil: 0 }),
      seats: [mallory],
    })
    const visitor = await signedIn(world, school, mallory)
    const own = await aMeeting(school, { service, seats: [mallory] })
    const [time = ''] = await openTimes(visitor, own)
    for (const id of [theirs, elsewhere, 'x', '%00', '..%2fsettings']) {
      expect((await visitor.get(`${BOOKINGS}/${id}`)).statusCode, id).toBe(404)
      expect((await visitor.get(`/account/calendar/${id}.ics`)).statusCode, id).toBe(404)
      expect(await change(visitor, id, { change: 'cancel' }), id).toBe(CANCELED)
      expect(await change(visitor, id, { change: 'move', time }), id).toBe(REFUSED)
    }
    expect(await seatsOf(theirs)).toEqual([ada.id])
    expect(await auditOf(theirs)).toEqual([])
    expect(await bookedBy(mallory)).toHaveLength(1)
  })
})

describe('a member who cancels', () => {
  test('gives back their own seat alone, and the audit log names them', async () => {
    const { ada, visitor } = await aVisitor()
    const ben = await world.aMember(school)
    const service = await aService(school, [], { changesUntil: 2 })
    const meeting = await aMeeting(school, { service, seats: [ada, ben], state: 'scheduled' })
    expect(await change(visitor, meeting, { change: 'cancel', member_id: ben.id })).toBe(CANCELED)
    expect(await seatsOf(meeting)).toEqual([ben.id])
    expect((await visitor.get(BOOKINGS)).body).not.toContain(meeting)
    expect(await auditOf(meeting)).toEqual([
      { by: ada.id, via: 'account', operation: 'consulting_meetings.remove_attendee' },
    ])
    const told = await inboxOf(school.db, ada.id, { limit: 5, fromEnd: false })
    expect(told).toEqual([])
  })

  test('with a double click reads that it is canceled, and the host hears of it once', async () => {
    const { ada, visitor } = await aVisitor()
    const host = await world.aMember(school, ['lecturer'])
    const service = await aService(school, [], { changesUntil: 2, host })
    const meeting = await aMeeting(school, { service, seats: [ada], start: hoursFromNow(100) })
    const [time = ''] = await openTimes(visitor, meeting)
    expect(await change(visitor, meeting, { change: 'move', time })).toBe(MOVED)
    for (let click = 0; click < 2; click++) {
      expect(await change(visitor, meeting, { change: 'cancel' })).toBe(CANCELED)
    }
    const told = await inboxOf(school.db, host.id, { limit: 5, fromEnd: false })
    expect(told.map(({ title }) => title)).toEqual([
      'A booking was canceled',
      'A booking was moved',
    ])
    expect(told[0]?.body).toMatch(/^Person .* canceled their booking of A meeting, /)
  })

  test('cannot where the service does not let them, after its limit, or if it was canceled', async () => {
    const { ada, visitor } = await aVisitor()
    const sketches = [
      [null, {}],
      [48, {}],
      [0, { start: hoursFromNow(-0.5) }],
      [0, { state: 'canceled' }],
    ] as const
    for (const [hours, sketch] of sketches) {
      const service = await aService(school, [], hours === null ? {} : { changesUntil: hours })
      const meeting = await aMeeting(school, { service, seats: [ada], ...sketch })
      const { body } = await visitor.get(`${BOOKINGS}/${meeting}`)
      expect(body).not.toContain(`action="${BOOKINGS}`)
      const inTime = await aMeeting(school, {
        service: await aService(school, [], { changesUntil: 0 }),
        seats: [ada],
      })
      const [time = ''] = await openTimes(visitor, inTime)
      expect(await change(visitor, meeting, { change: 'cancel' })).toBe(REFUSED)
      expect(await change(visitor, meeting, { change: 'move', time })).toBe(REFUSED)
      expect(await seatsOf(meeting)).toEqual([ada.id])
    }
  })

  test('cannot cancel a class of a study group, which has no seats', async () => {
    const { ada, visitor } = await aVisitor()
    const group = await aStudyGroup(school, [ada])
    const lesson = await aMeeting(school, { group })
    expect(await change(visitor, lesson, { change: 'cancel' })).toBe(REFUSED)
    expect((await visitor.get(BOOKINGS)).body).toContain(lesson)
  })

  test('cannot with a form of another site, without its token, or without a role any more', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [], { changesUntil: 0 })
    const meeting = await aMeeting(school, { service, seats: [ada] })
    const path = `${BOOKINGS}/${meeting}`
    const fields = {
      ...hiddenFields((await visitor.get('/')).body, '/sign-out'),
      change: 'cancel',
    }
    await visitor.post(path, fields, { origin: 'https://evil.example' })
    await visitor.post(path, { change: 'cancel' })
    await school.db
      .update('school_members')
      .set({ roles: [] })
      .where('user_id', '=', ada.id)
      .execute()
    await visitor.post(path, fields)
    expect(await seatsOf(meeting)).toEqual([ada.id])
  })

  test('cannot fill the audit log by going back and forth', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [], { changesUntil: 0 })
    const meeting = await aMeeting(school, { service, seats: [ada] })
    for (let n = 0; n < MOST_REGISTRATIONS; n++) await forged(visitor, meeting, { change: 'x' })
    const answer = await forged(visitor, meeting, { change: 'cancel' })
    expect(answer.statusCode).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(await seatsOf(meeting)).toEqual([ada.id])
  })
})

describe('a member who moves', () => {
  test('a meeting that they attend alone moves it with its room and length, to be confirmed again', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [], { changesUntil: 2 })
    const sketch = { service, seats: [ada], state: 'scheduled', hours: 3 } as const
    const meeting = await aMeeting(school, sketch)
    const [before] = await bookedBy(ada)
    const times = await openTimes(visitor, meeting)
    expect(times.length).toBeGreaterThan(2)
    expect(await change(visitor, meeting, { change: 'move', time: times[1] ?? '' })).toBe(MOVED)
    const [after, ...others] = await bookedBy(ada)
    expect(others).toEqual([])
    expect(after).toMatchObject({ id: meeting, state: 'available', length: '03:00:00' })
    expect(after?.starts).not.toBe(before?.starts)
    expect(await auditOf(meeting)).toEqual([
      { by: ada.id, via: 'account', operation: 'consulting_meetings.move_seat' },
    ])
  })

  test('from a meeting with others takes their own seat alone to the other time', async () => {
    const { ada, visitor } = await aVisitor()
    const ben = await world.aMember(school)
    const service = await aService(school, [], { changesUntil: 2 })
    const meeting = await aMeeting(school, { service, seats: [ada, ben], state: 'scheduled' })
    const [time = ''] = await openTimes(visitor, meeting)
    expect(await change(visitor, meeting, { change: 'move', time })).toBe(MOVED)
    expect(await seatsOf(meeting)).toEqual([ben.id])
    const [other] = await bookedBy(ada)
    expect(other).toMatchObject({ state: 'available' })
    expect(await auditOf(other?.id ?? '')).toEqual([
      { by: ada.id, via: 'account', operation: 'consulting_meetings.add_attendee' },
    ])
    // The next one joins the meeting that is there now.
    const second = await signedIn(world, school, ben)
    expect(await change(second, meeting, { change: 'move', time })).toBe(MOVED)
    const third = await aMeeting(school, { service, seats: [ada] })
    expect(await openTimes(visitor, third)).not.toContain(time)
    expect(await change(visitor, third, { change: 'move', time })).toBe(REFUSED)
    expect((await seatsOf(other?.id ?? '')).sort()).toEqual([ada.id, ben.id].sort())
  })

  test('gets only open times: not a full one, one past the limit, or one of a paused service', async () => {
    const { ada, visitor } = await aVisitor()
    const ben = await world.aMember(school)
    const service = await aService(school, [], { changesUntil: 1, seats: 1 })
    const meeting = await aMeeting(school, { service, seats: [ada] })
    const all = await openTimes(visitor, meeting)
    const theirs = await aMeeting(school, { service, seats: [ben] })
    const second = await signedIn(world, school, ben)
    const [taken = ''] = await openTimes(second, theirs)
    expect(await change(second, theirs, { change: 'move', time: taken })).toBe(MOVED)
    expect(await openTimes(visitor, meeting)).toEqual(all.filter((time) => time !== taken))
    const within = async (hours: number) => {
      const set = { changes_until_hours: hours }
      await school.db.update('consulting_services').set(set).where('id', '=', service).execute()
      await school.db
        .update('consulting_meetings')
        .set({ starts_at: hoursFromNow(721), ends_at: hoursFromNow(722) })
        .where('id', '=', meeting)
        .execute()
      return await openTimes(visitor, meeting)
    }
    expect(await within(14 * 24)).not.toContain(all[0])
    expect((await within(14 * 24)).length).toBeGreaterThan(0)
    expect(await within(700)).toEqual([])
    await school.db
      .update('consulting_services')
      .set({ state: 'paused' })
      .where('id', '=', service)
      .execute()
    expect(await within(1)).toEqual([])
    expect(await change(visitor, meeting, { change: 'move', time: all[1] ?? '' })).toBe(REFUSED)
  })

  test('cannot forge a time: another service, another day, next year, or none', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [], { changesUntil: 0 })
    const meeting = await aMeeting(school, { service, seats: [ada] })
    const foreign = await aMeeting(school, {
      service: await aService(school, [], { changesUntil: 0 }),
      seats: [ada],
    })
    const [own = ''] = await openTimes(visitor, meeting)
    const [theirs = ''] = await openTimes(visitor, foreign)
    const [slot = '', on = ''] = own.split(' ')
    const later = (days: number) =>
      new Date(Date.parse(on) + days * 86_400_000).toISOString().slice(0, 10)
    const forgeries = [
      theirs,
      `${slot} ${later(1)}`,
      `${slot} ${later(371)}`,
      `${slot} ${later(-7)}`,
    ]
    for (const time of [...forgeries, slot, `${slot} x`, `x ${on}`, '', '\0 \0']) {
      expect(await change(visitor, meeting, { change: 'move', time }), time).toBe(REFUSED)
    }
    expect((await bookedBy(ada)).map(({ id }) => id).sort()).toEqual([meeting, foreign].sort())
  })

  test('two members who take the last seat at once: one moves, the other keeps their booking', async () => {
    const service = await aService(school, [], { changesUntil: 0, seats: 1 })
    const both = await Promise.all([aVisitor(), aVisitor()])
    const booked = await Promise.all(
      both.map(({ ada }) => aMeeting(school, { service, seats: [ada] })),
    )
    const [time = ''] = await openTimes(both[0].visitor, booked[0] ?? '')
    const answers = await Promise.all(
      both.map(({ visitor }, n) => change(visitor, booked[n] ?? '', { change: 'move', time })),
    )
    expect(answers.sort()).toEqual([MOVED, REFUSED])
    const [first, second] = await Promise.all(both.map(({ ada }) => bookedBy(ada)))
    expect([first?.length, second?.length]).toEqual([1, 1])
    expect(first?.[0]?.starts).not.toBe(second?.[0]?.starts)
  })

  test('while an operator cancels the meeting: the seat stays where it is', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [], { changesUntil: 0 })
    const meeting = await aMeeting(school, { service, seats: [ada] })
    const [time = ''] = await openTimes(visitor, meeting)
    const lock = 'select from consulting_meetings where id = $1 for update'
    const moved = await whileRowHeld(
      world.database.connection,
      { lock, id: meeting },
      () => change(visitor, meeting, { change: 'move', time }),
      async (waiting, holder) => {
        await waiting(1)
        const cancel = `update consulting_meetings set state = 'canceled' where id = $1`
        await holder.query(cancel, [meeting])
        await holder.query('commit')
      },
    )
    expect(moved).toBe(REFUSED)
    expect(await bookedBy(ada)).toMatchObject([{ id: meeting, state: 'canceled' }])
  })
})

test('an operator who cancels still tells the member', async () => {
  const { ada } = await aVisitor()
  const service = await aService(school, [], { changesUntil: 0 })
  const id = await aMeeting(school, { service, seats: [ada] })
  outputOf(await performByCommandLine(school, cancelMeeting, { id }))
  const [told] = await inboxOf(school.db, ada.id, { limit: 1, fromEnd: false })
  expect(told?.kind).toBe('meeting_canceled')
})
