import { describe, expect, test } from 'vitest'
import { REMINDERS } from '../../src/domain/catalogue/reminders.ts'
import { recordPayment } from '../../src/domain/commerce/payment-operations.ts'
import { changeLecture, createLecture } from '../../src/domain/learning/lecture-operations.ts'
import { inboxOf } from '../../src/domain/notifications/inbox.ts'
import { sendReminders } from '../../src/domain/notifications/reminders.ts'
import { anOrder, aPayment } from '../support/billing.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../support/consulting.ts'
import { aCourse, anEnrollment, aRegistration, daysFromNow } from '../support/learning.ts'
import { passTime } from '../support/pass-time.ts'
import { Performer } from '../support/performing.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await aWorld()
const { db, pool } = world.database

const fail = (): never => {
  throw new Error('there is none')
}
const failures: unknown[] = []
/** One round of one process. */
const round = () => sendReminders(db, REMINDERS, (error) => failures.push(error))

/** Time goes by with a round every eight hours. */
async function pass(days: number): Promise<void> {
  for (let step = 0; step < days * 3; step++) {
    await passTime(world, '8 hours')
    await round()
  }
}

async function toldTo(school: TestSchool, { id }: TestPerson): Promise<string[]> {
  const entries = await inboxOf(school.db, id, { limit: 50, fromEnd: false })
  return entries.map(({ kind, body }) => `${kind}: ${body}`).reverse()
}

const kindsOf = async (school: TestSchool, person: TestPerson) =>
  (await toldTo(school, person)).map((entry) => entry.split(':')[0])

/** A school whose reminders are kept from now on. */
async function aSchool(): Promise<TestSchool> {
  const school = await world.aSchool()
  await round()
  return school
}

describe('a reminder', () => {
  test('comes once: a day before a meeting and a class, by seat and by roster', async () => {
    const school = await aSchool()
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const service = await aService(school, [])
    const group = await aStudyGroup(school, [ben])
    const start = hoursFromNow(80)
    await aMeeting(school, { service, start, seats: [ada], title: 'Office hour' })
    await aMeeting(school, { service, start, seats: [ada], state: 'canceled' })
    await aMeeting(school, { group, start, title: 'Yoga' })
    await pass(2)
    expect([await kindsOf(school, ada), await kindsOf(school, ben)]).toEqual([[], []])
    await pass(2)
    expect(await toldTo(school, ada)).toEqual([
      expect.stringMatching(/^meeting_tomorrow: Office hour begins on .*\(UTC\)\.$/),
    ])
    expect(await toldTo(school, ben)).toEqual([expect.stringContaining('Yoga begins on')])
  })

  test('comes a day before an event, to those who are registered', async () => {
    const school = await aSchool()
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    await aRegistration(school, ada)
    await aRegistration(school, ben, { state: 'canceled' })
    await aRegistration(school, ben, { eventState: 'canceled' })
    await pass(4)
    expect([await kindsOf(school, ada), await kindsOf(school, ben)]).toEqual([
      ['event_tomorrow'],
      [],
    ])
  })

  test('comes three days before a payment expires and when it has, unless the order is paid', async () => {
    const school = await aSchool()
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const open = { type: 'atm', state: 'pending', expiresAt: daysFromNow(5.2) } as const
    await aPayment(school, ada, open)
    const orderId = await anOrder(school, ben)
    await aPayment(school, ben, { ...open, orderId })
    await aPayment(school, ben, { orderId })
    await pool.query(
      `update orders set state = 'completed', completed_at = now() where id = '${orderId}'`,
    )
    await pass(3)
    expect(await kindsOf(school, ada)).toEqual(['payment_ends_soon'])
    await pass(3)
    expect(await kindsOf(school, ada)).toEqual(['payment_ends_soon', 'payment_expired'])
    expect(await kindsOf(school, ben)).toEqual([])
  })

  test('comes a week before access ends, and again for another end', async () => {
    const school = await aSchool()
    const ada = await world.aMember(school)
    const course = await aCourse(school)
    await anEnrollment(school, ada, course, { expiresAt: daysFromNow(9) })
    await pass(3)
    expect(await kindsOf(school, ada)).toEqual(['course_ends_soon'])
    await pool.query(`update enrollments set expires_at = now() + interval '8 days'`)
    await pass(2)
    expect(await kindsOf(school, ada)).toEqual(['course_ends_soon', 'course_ends_soon'])
  })

  test('of what is over by now is not sent late', async () => {
    const school = await aSchool()
    const ada = await world.aMember(school)
    await aRegistration(school, ada)
    await passTime(world, '10 days')
    await round()
    expect(await kindsOf(school, ada)).toEqual([])
  })

  test('waits while the school is suspended, and comes if it is still ahead', async () => {
    const school = await aSchool()
    const ada = await world.aMember(school)
    await aRegistration(school, ada)
    await pool.query(`update schools set suspended_at = now() where id = $1`, [school.id])
    await pass(2.25)
    expect(await kindsOf(school, ada)).toEqual([])
    await pool.query(`update schools set suspended_at = null where id = $1`, [school.id])
    await round()
    expect(await kindsOf(school, ada)).toEqual(['event_tomorrow'])
  })

  test('comes once from several processes at the same time, and after one that died', async () => {
    const school = await aSchool()
    const people = await Promise.all([1, 2, 3].map(() => world.aMember(school)))
    for (const person of people) await aRegistration(school, person)
    await passTime(world, '50 hours')
    // Ends in the middle of its transaction, after it told of the event.
    const broken = { cause: 'no_such_cause' as 'event_tomorrow', due: REMINDERS[4]?.due ?? fail }
    const errors: unknown[] = []
    await sendReminders(db, [...REMINDERS, broken], (error) => errors.push(error))
    expect(errors).toHaveLength(1)
    expect(await kindsOf(school, people[0] ?? fail())).toEqual([])
    await Promise.all([round(), round(), round(), round()])
    for (const person of people) expect(await kindsOf(school, person)).toEqual(['event_tomorrow'])
  })

  test('comes once although the clock of the database was set back', async () => {
    const school = await aSchool()
    const ada = await world.aMember(school)
    await aRegistration(school, ada)
    await passTime(world, '50 hours')
    await round()
    await pool.query(`update reminders set until = now() - interval '3 days'`)
    await round()
    await pool.query(`update reminders set until = now() + interval '1 year'`)
    await round()
    const { rows } = await pool.query('select from reminders where until > now()')
    expect(rows).toEqual([])
    expect(await kindsOf(school, ada)).toEqual(['event_tomorrow'])
  })

  test('of one school that fails does not hold up the others', async () => {
    const [broken, school] = [await aSchool(), await aSchool()]
    const [ben, ada] = [await world.aMember(broken), await world.aMember(school)]
    for (const [at, person] of [
      [broken, ben],
      [school, ada],
    ] as const) {
      await aRegistration(at, person)
    }
    await pool.query(`update events set title = 'Broken' where school_id = $1`, [broken.id])
    await pool.query(
      `alter table notifications add constraint broken check (facts->>'event' <> 'Broken')`,
    )
    await passTime(world, '50 hours')
    failures.length = 0
    await round()
    expect(failures).toHaveLength(1)
    expect(await kindsOf(school, ada)).toEqual(['event_tomorrow'])
    await pool.query('alter table notifications drop constraint broken')
    await round()
    expect(await kindsOf(broken, ben)).toEqual(['event_tomorrow'])
  })
})

describe('a new lecture', () => {
  test('is told to the students of a published course when it opens, not when it is imported', async () => {
    const school = await aSchool()
    const [owner, ada, ben] = [
      await world.aMember(school, ['owner']),
      await world.aMember(school),
      await world.aMember(school),
    ]
    const course = await aCourse(school, [[{}]], { title: 'Painting' })
    await anEnrollment(school, ada, course)
    await anEnrollment(school, ben, course, { expiresAt: daysFromNow(-1) })
    const draft = await aCourse(school)
    await pool.query(`update courses set state = 'draft' where id = $1`, [draft.id])
    await anEnrollment(school, ada, draft)
    await passTime(world, '1 hour')
    const { rows } = await pool.query('select id, course_id from sections where school_id = $1', [
      school.id,
    ])
    const sectionOf = ({ id }: { id: string }) => rows.find((row) => row.course_id === id)?.id
    const performer = new Performer(school, owner)
    const section_id = sectionOf(course)
    await performer.does(createLecture, { section_id, title: 'Now' })
    await performer.does(createLecture, { section_id: sectionOf(draft), title: 'Hidden' })
    const byDays = { section_id, title: 'By days', unlock_after_days: 90 }
    const { id } = await performer.does(createLecture, byDays)
    const later = daysFromNow(2).toISOString()
    await performer.does(createLecture, { section_id, title: 'Later', unlock_at: later })
    await passTime(world, '10 minutes')
    await round()
    expect(await toldTo(school, ada)).toEqual(['lecture_added: Painting has a new lecture: Now.'])
    await pass(3)
    await performer.does(changeLecture, { id, unlock_at: daysFromNow(1).toISOString() })
    await pass(2)
    expect((await toldTo(school, ada)).slice(1)).toEqual([
      'lecture_added: Painting has a new lecture: Later.',
      'lecture_added: Painting has a new lecture: By days.',
    ])
    expect(await kindsOf(school, ben)).toEqual([])
  })
})

describe('a recorded payment', () => {
  const aRecord = ({ id }: TestPerson) => ({
    trade_no: 'T-7',
    order_number: 'O-7',
    member_id: id,
    amount: 90000,
    currency: 'TWD',
    payment_type: 'atm',
    state: 'pending',
  })

  test('tells the member how to pay and that it is paid, each once', async () => {
    const school = await aSchool()
    const [owner, ada] = [await world.aMember(school, ['owner']), await world.aMember(school)]
    const performer = new Performer(school, owner)
    const code = {
      ...aRecord(ada),
      code_no: '9103522850',
      expires_at: daysFromNow(3).toISOString(),
    }
    for (const record of [
      aRecord(ada),
      code,
      code,
      { ...code, state: 'paid' },
      { ...code, state: 'paid' },
    ]) {
      await performer.does(recordPayment, record)
    }
    expect(await toldTo(school, ada)).toEqual([
      expect.stringMatching(
        /^payment_code: Your account shows where to pay the .*900.* of payment T-7, until/,
      ),
      'payment_received: NT$900 for order O-7 is paid. Thank you.',
    ])
  })

  test('of the past tells nothing', async () => {
    const school = await aSchool()
    const [owner, ada] = [await world.aMember(school, ['owner']), await world.aMember(school)]
    const performer = new Performer(school, owner)
    const created_at = daysFromNow(-30).toISOString()
    await performer.does(recordPayment, { ...aRecord(ada), created_at, state: 'paid' })
    const other = { ...aRecord(ada), trade_no: 'T-8', order_number: 'O-8', code_no: '1' }
    await performer.does(recordPayment, { ...other, created_at })
    expect(await kindsOf(school, ada)).toEqual([])
  })
})

/** A student of a published course, and an owner who changes it. */
async function scene() {
  const school = await aSchool()
  const [owner, ada] = [await world.aMember(school, ['owner']), await world.aMember(school)]
  const course = await aCourse(school, [[{}]], { title: 'Painting' })
  await anEnrollment(school, ada, course)
  await passTime(world, '1 hour')
  const { rows } = await pool.query('select id from sections where school_id = $1', [school.id])
  return { school, ada, course, section_id: rows[0]?.id, performer: new Performer(school, owner) }
}

describe('the moment of a reminder', () => {
  test('a lecture changed from a date to days after enrolment is not told at the old date', async () => {
    const { school, ada, section_id, performer } = await scene()
    const { id } = await performer.does(createLecture, {
      section_id,
      title: 'L',
      unlock_at: daysFromNow(2).toISOString(),
    })
    await performer.does(changeLecture, { id, unlock_after_days: 300 })
    await pass(3)
    expect(await toldTo(school, ada)).toEqual([])
  })
  test('a lecture whose date is removed, so that it is open now, is told now and not weeks later', async () => {
    const { school, ada, section_id, performer } = await scene()
    const { id } = await performer.does(createLecture, {
      section_id,
      title: 'L',
      unlock_at: daysFromNow(20).toISOString(),
    })
    await performer.does(changeLecture, { id, unlock_at: null })
    await pass(1)
    expect(await toldTo(school, ada)).toEqual(['lecture_added: Painting has a new lecture: L.'])
  })
  test('a lecture whose transaction commits after a round began is told', async () => {
    const { school, ada, section_id } = await scene()
    const client = await pool.connect()
    const { rows } = await pool.query('select course_id from sections where id = $1', [section_id])
    await pool.query(
      `update reminders set until = now() - interval '6 minutes' where school_id = $1`,
      [school.id],
    )
    await client.query('begin')
    await client.query(
      `insert into lectures (school_id, id, course_id, section_id, position, title, kind, announce_at)
      values ($1, gen_random_uuid(), $2, $3, 99, 'In flight', 'text', now())`,
      [school.id, rows[0]?.course_id, section_id],
    )
    await round()
    await client.query('commit')
    client.release()
    await pass(1)
    expect(await toldTo(school, ada)).toEqual([
      'lecture_added: Painting has a new lecture: In flight.',
    ])
  })
  test('a lecture whose date was moved by an import, or by the older version, is not told while it is locked', async () => {
    const { school, ada, section_id, performer } = await scene()
    const { id } = await performer.does(createLecture, {
      section_id,
      title: 'L',
      unlock_at: daysFromNow(2).toISOString(),
    })
    await pool.query(`update lectures set unlock_at = now() + interval '60 days' where id = $1`, [
      id,
    ])
    await pass(3)
    expect(await toldTo(school, ada)).toEqual([])
  })
  test('a lecture that was told, is locked by a new date, and opens then, is told again', async () => {
    const { school, ada, section_id, performer } = await scene()
    const { id } = await performer.does(createLecture, { section_id, title: 'L' })
    await pass(1)
    await performer.does(changeLecture, { id, unlock_at: daysFromNow(2).toISOString() })
    await pass(3)
    expect(await toldTo(school, ada)).toHaveLength(2)
  })
  test('"tomorrow" is not said an hour before', async () => {
    const { school, ada } = await scene()
    const service = await aService(school, [])
    await aMeeting(school, { service, start: hoursFromNow(30), seats: [ada], title: 'Office hour' })
    await passTime(world, '29 hours')
    await round()
    expect(await toldTo(school, ada)).toEqual([])
  })
  test('a lecture that is made with a date of an hour ago is open at once, and told', async () => {
    const { school, ada, section_id, performer } = await scene()
    await passTime(world, '3 hours')
    await round()
    await performer.does(createLecture, {
      section_id,
      title: 'L',
      unlock_at: hoursFromNow(-1).toISOString(),
    })
    await pass(1)
    expect(await toldTo(school, ada)).toHaveLength(1)
  })
  test('a payment that expired 200 days before (outage, old backup) is not mailed now', async () => {
    const { school, ada } = await scene()
    await aPayment(school, ada, { type: 'atm', state: 'pending', expiresAt: daysFromNow(5) })
    await passTime(world, '200 days')
    await round()
    const { rows } = await pool.query(
      'select kind, mail_due_at is not null as mailed from notifications where school_id = $1',
      [school.id],
    )
    expect(rows).toEqual([])
  })
})

// Last: time passes slowly for so many rows.
describe('a reminder to many', () => {
  test('is written in steps', async () => {
    const school = await aSchool()
    const ada = await world.aMember(school)
    const { eventId } = await aRegistration(school, ada)
    await pool.query(
      `with people as (
         insert into users (id, email, name) select gen_random_uuid(), 'many' || n || '@many.test', 'Many'
         from generate_series(1, 5100) n returning id),
       joined as (
         insert into school_members (school_id, user_id, roles) select $1, id, '{student}' from people)
       insert into event_registrations (school_id, id, event_id, user_id)
       select $1, gen_random_uuid(), $2, id from people`,
      [school.id, eventId],
    )
    await pass(2.5)
    const { rows } = await pool.query(
      'select count(*)::int as told, count(distinct user_id)::int as people from notifications where school_id = $1',
      [school.id],
    )
    expect(rows).toEqual([{ told: 5101, people: 5101 }])
  })
})
