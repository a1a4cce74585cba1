import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  readActiveLearners,
  readCompletion,
  readEnrollmentSeries,
  readRevenue,
} from '../../../src/domain/analytics/analytics-operations.ts'
import {
  countedCompletion,
  countedEnrollments,
  countedLearners,
  countedRevenue,
} from '../../../src/domain/analytics/answers.ts'
import { countMarked } from '../../../src/domain/analytics/count-marked.ts'
import {
  beginFilling,
  endFilling,
  FigureRounds,
  recountFigures,
} from '../../../src/domain/analytics/figure-rounds.ts'
import { type Period, steps } from '../../../src/domain/analytics/period.ts'
import { FEW_ROWS, prepareFigures } from '../../../src/domain/analytics/prepare-figures.ts'
import {
  countConnectedPeople,
  readSchoolTotals,
} from '../../../src/domain/analytics/school-totals.ts'
import { recordPayment } from '../../../src/domain/commerce/payment-operations.ts'
import { markProgress } from '../../../src/domain/learning/progress-operations.ts'
import { deletePerson } from '../../../src/domain/people/deletion/delete-person.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import type { SchoolDb } from '../../../src/foundation/db/school-db.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { aCourse, anEnrollment, type TestCourse } from '../../support/learning.ts'
import { anOwner } from '../../support/operator-like.ts'
import { Performer } from '../../support/performing.ts'
import { wholeReads } from '../../support/plans.ts'
import { aWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const world = await aWorld()

/** Around the end of a month in the middle of a week, so that days, weeks and months differ. */
const TIMES = [
  '2026-03-28T23:30:00Z',
  '2026-03-30T06:59:59.999Z',
  '2026-03-31T07:00:00Z',
  '2026-03-31T16:00:00Z',
  '2026-04-01T00:00:00Z',
  '2026-04-02T12:00:00Z',
  '2026-05-04T03:00:00Z',
]

const PERIODS: readonly Period[] = [
  { from: '2026-03-28', to: '2026-04-03', interval: 'day' },
  { from: '2026-03-01', to: '2026-05-31', interval: 'week' },
  { from: '2026-03-31', to: '2026-04-01', interval: 'week' },
  { from: '2026-03-30', to: '2026-04-01', interval: 'month' },
  { from: '2026-03-31', to: '2026-05-03', interval: 'month' },
  { from: '2026-03-02', to: '2026-03-31', interval: 'month' },
]

/** A school in the middle of a random history. */
class Life {
  readonly school: TestSchool
  readonly staff: Performer
  readonly people: TestPerson[] = []
  readonly courses: TestCourse[] = []

  constructor(school: TestSchool, staff: Performer) {
    this.school = school
    this.staff = staff
  }

  static async begin(): Promise<Life> {
    const school = await world.aSchool()
    const life = new Life(school, new Performer(school, await world.aMember(school, ['owner'])))
    for (let n = 0; n < 3; n++) life.people.push(await world.aMember(school))
    for (let n = 0; n < 2; n++) life.courses.push(await aCourse(school, [[{}, {}]]))
    return life
  }
}

interface Chosen {
  readonly person: number
  readonly course: number
  readonly lecture: number
  readonly time: number
  readonly other: number
}

const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length]

type Write = (life: Life, chosen: Chosen) => Promise<unknown>

const WRITES: Readonly<Record<string, Write>> = {
  enrols: async ({ school, people, courses }, { person, course, time }) => {
    const [who, what] = [pick(people, person), pick(courses, course)]
    if (who === undefined || what === undefined) return
    const known = await school.db
      .from('enrollments')
      .select('id')
      .where('user_id', '=', who.id)
      .where('course_id', '=', what.id)
      .execute()
    if (known.length > 0) return
    await anEnrollment(school, who, what, { enrolledAt: new Date(pick(TIMES, time) ?? '') })
  },
  progresses: async (
    { school, staff, people, courses },
    { person, course, lecture, time, other },
  ) => {
    const [who, what] = [pick(people, person), pick(courses, course)]
    if (who === undefined || what === undefined) return
    const enrolled = await school.db
      .from('enrollments')
      .select('id')
      .where('user_id', '=', who.id)
      .where('course_id', '=', what.id)
      .execute()
    const lectures = await school.db
      .from('lectures')
      .select('id')
      .where('course_id', '=', what.id)
      .orderBy('id')
      .execute()
    if (enrolled.length === 0 || lectures.length === 0) return
    const state = pick(['completed', 'completed', 'read', 'unread'], other) ?? 'read'
    await staff.does(markProgress, {
      student_id: who.id,
      lecture_id: pick(lectures, lecture)?.id ?? '',
      state,
      ...(state === 'unread' ? {} : { first_read_at: pick(TIMES, time) ?? null }),
    })
  },
  pays: async ({ staff, people }, { person, time, other }) => {
    const member_id = pick(people, person)?.id ?? ''
    await staff.does(recordPayment, {
      trade_no: `T-${other % 4}-${member_id}`,
      order_number: `O-${other % 4}-${member_id}`,
      member_id,
      amount: 1000,
      currency: 'USD',
      payment_type: 'credit_card',
      ...PAYMENTS[other % PAYMENTS.length]?.(pick(TIMES, time) ?? ''),
    })
  },
  'is revoked, restored or moved': async ({ school }, { time, other }) => {
    await school.db.run(sql`
      update enrollments set revoked_at = case when ${other % 2} = 0 then now() end, enrolled_at = ${pick(TIMES, time)}
      where school_id = ${school.id} and id in (
        select id from enrollments where school_id = ${school.id} order by id offset ${other % 3} limit 2)`)
  },
  'gets a lecture': async ({ school, courses }, { course }) => {
    const what = pick(courses, course)
    if (what === undefined) return
    await school.db.run(sql`
      insert into lectures (school_id, id, course_id, section_id, position, title)
      select s.school_id, gen_random_uuid(), s.course_id, s.id, 1 + (
        select coalesce(max(l.position), 0) from lectures l where l.school_id = s.school_id and l.section_id = s.id), 'Another'
      from sections s where s.school_id = ${school.id} and s.course_id = ${what.id}`)
  },
  'loses a lecture': async ({ school, courses }, { course, lecture }) => {
    await school.db.run(sql`
      delete from lectures where school_id = ${school.id} and id in (
        select id from lectures where school_id = ${school.id} and course_id = ${pick(courses, course)?.id}
        order by id offset ${lecture % 2} limit 1)`)
  },
  'is taken away with its students': async ({ school, courses }, { course }) => {
    const what = pick(courses, course)
    if (what === undefined || courses.length < 2) return
    await school.db.delete('enrollments').where('course_id', '=', what.id).execute()
    await school.db.delete('courses').where('id', '=', what.id).execute()
    courses.splice(courses.indexOf(what), 1)
  },
  'is new': async ({ school, courses, people }) => {
    courses.push(await aCourse(school, [[{}]]))
    people.push(await world.aMember(school))
  },
  'is deleted': async ({ people }, { person }) => {
    const who = pick(people, person)
    if (who === undefined || people.length < 2) return
    await world.database.db
      .transaction()
      .execute((tx) => deletePerson(tx, who.id, { force: true }, { via: 'command_line' }))
    people.splice(people.indexOf(who), 1)
  },
  'changes the time zone': async ({ school }, { other }) => {
    const zone = pick(['UTC', 'Asia/Taipei', 'America/Los_Angeles'], other)
    await world.database.db
      .updateTable('schools')
      .set({ time_zone: zone ?? 'UTC' })
      .where('id', '=', school.id)
      .execute()
  },
}

const PAYMENTS: readonly ((time: string) => Record<string, unknown>)[] = [
  (time) => ({ state: 'paid', created_at: time, paid_at: time }),
  () => ({ state: 'pending' }),
  (time) => ({
    state: 'paid',
    created_at: '2026-03-01T00:00:00Z',
    paid_at: '2026-03-30T12:00:00Z',
    refunding_state: 'partially_refunded',
    refunded_amount: 300,
    refund_requested_at: time,
    refunded_at: time,
  }),
]

async function askedAndCounted({ school, staff }: Life) {
  const db = school.db
  const asked: unknown[] = []
  const counted: unknown[] = []
  const series = [
    [readRevenue, countedRevenue],
    [readEnrollmentSeries, countedEnrollments],
    [readActiveLearners, countedLearners],
  ] as const
  for (const period of PERIODS) {
    for (const [operation, points] of series) {
      asked.push((await staff.does(operation, { ...period })).data)
      const { rows } = await db.run(sql`with ${steps(db, period)} ${points(db, period)}`)
      counted.push(rows)
    }
  }
  asked.push((await staff.does(readCompletion, { limit: 100 })).data)
  counted.push((await db.run(countedCompletion(db, 100))).rows)
  const [week] = PERIODS as [Period]
  const totals = await readSchoolTotals(db, week)
  asked.push(totals.revenue, totals.enrollments, totals.learners, totals.students)
  for (const [, points] of series) {
    counted.push((await db.run(sql`with ${steps(db, week)} ${points(db, week)}`)).rows)
  }
  const students = await db.run(sql<{ many: number }>`
    select count(*)::int as many from school_members where school_id = ${school.id} and 'student' = any (roles)`)
  counted.push(students.rows[0]?.many)
  return { asked: JSON.parse(JSON.stringify(asked)), counted: JSON.parse(JSON.stringify(counted)) }
}

const HISTORY = fc.array(
  fc.record({
    write: fc.constantFrom(...Object.keys(WRITES)),
    person: fc.nat(9),
    course: fc.nat(9),
    lecture: fc.nat(9),
    time: fc.nat(TIMES.length - 1),
    other: fc.nat(11),
  }),
  { minLength: 10, maxLength: 25 },
)

/** Every course is too large to be counted at once, and a range is one of its students. */
const IN_RANGES = { keys: 60, rows: -1, range: 1, mayCountLarge: () => true } as const

describe('kept figures', () => {
  test('equal what is counted from the rows after any history', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, async (history) => {
        const life = await Life.begin()
        for (const [n, { write, ...rest }] of history.entries()) {
          await WRITES[write]?.(life, rest)
          if (n % 9 === 8) await prepareFigures(life.school.db)
        }
        await recountIfForgotten(life)
        expect((await prepareFigures(life.school.db)).isKept).toBe(true)
        const { asked, counted } = await askedAndCounted(life)
        expect(asked).toEqual(counted)
      }),
      { seed: 19, numRuns: 12 },
    )
  })

  test('of courses that are counted in ranges equal it too, with writes between the ranges', async () => {
    let unfinished = 0
    await fc.assert(
      fc.asyncProperty(HISTORY, async (history) => {
        const life = await Life.begin()
        const { db } = life.school
        for (let person = 0; person < 3; person++) {
          for (let course = 0; course < 2; course++) {
            await WRITES.enrols?.(life, { person, course, lecture: 0, time: 2 + person, other: 0 })
          }
        }
        const countOneRange = async () => {
          const { isUnfinished } = await countMarked(db, IN_RANGES)
          if (isUnfinished) unfinished += 1
        }
        for (const { write, ...rest } of history) {
          await WRITES[write]?.(life, rest)
          await countOneRange()
        }
        if (!(await prepareFigures(db)).isKept) await beginFilling(db)
        while ((await db.from('figure_marks').select('id').execute()).length > 0)
          await countOneRange()
        await endFilling(db)
        const { asked, counted } = await askedAndCounted(life)
        expect(asked).toEqual(counted)
      }),
      { seed: 20, numRuns: 8 },
    )
    expect(unfinished).toBeGreaterThan(50)
  })

  test('answer as before while they are counted anew', async () => {
    const life = await Life.begin()
    await WRITES.enrols?.(life, { person: 0, course: 0, lecture: 0, time: 3, other: 0 })
    const { db } = life.school
    await prepareFigures(db)
    await beginFilling(db)
    expect(await endFilling(db)).toBeGreaterThan(0)
    expect((await prepareFigures(db)).isKept).toBe(true)
  })

  test('of a school that is older than they are, are counted by the server, and from the rows until then', async () => {
    const life = await Life.begin()
    const all = { person: 0, course: 0, lecture: 0, time: 3, other: 0 }
    for (const write of ['enrols', 'progresses', 'pays']) await WRITES[write]?.(life, all)
    const { school } = life
    await school.db.delete('figure_marks').execute()
    await school.db.delete('school_figures').execute()
    expect((await prepareFigures(school.db)).isKept).toBe(false)
    const before = await askedAndCounted(life)
    expect(before.asked).toEqual(before.counted)
    const rounds = new FigureRounds(world.database.db)
    while (await rounds.next());
    expect((await prepareFigures(school.db)).isKept).toBe(true)
    const after = await askedAndCounted(life)
    expect(after.asked).toEqual(before.counted)
  })

  test('of a large school that is older than they are, are what is counted so far, and the answer says so', async () => {
    const life = await Life.begin()
    const all = { person: 0, course: 0, lecture: 0, time: 3, other: 0 }
    await WRITES.enrols?.(life, all)
    const { school } = life
    const member = await world.aMember(school)
    await school.db.run(sql`
      with bought as (
        insert into orders (school_id, id, number, user_id, state, total_amount, currency)
        values (${school.id}, gen_random_uuid(), 'A-1', ${member.id}, 'open', 1, 'TWD') returning *)
      insert into payments (school_id, id, order_id, user_id, trade_no, amount, currency)
      select o.school_id, gen_random_uuid(), o.id, o.user_id, 'T-' || n, 1, 'TWD'
      from bought o, generate_series(0, ${FEW_ROWS}) n`)
    await school.db.delete('figure_marks').execute()
    await school.db.delete('school_figures').execute()
    expect(await prepareFigures(school.db)).toMatchObject({ isKept: true, countedAt: null })
    const owner = new AdminBrowser(await anOwner(world, school))
    expect(await owner.page('/admin/analytics')).toContain('counted for the first time')
    expect(await owner.page('/admin')).toContain('Students')
    const rounds = new FigureRounds(world.database.db)
    while (await rounds.next());
    expect((await prepareFigures(school.db)).countedAt).toBeInstanceOf(Date)
    expect(await owner.page('/admin/analytics')).not.toContain('counted for the first time')
  })

  test('are put right by a recount when rows were changed behind their back', async () => {
    const life = await Life.begin()
    await WRITES.enrols?.(life, { person: 0, course: 0, lecture: 0, time: 3, other: 0 })
    const { school } = life
    await prepareFigures(school.db)
    await school.db.update('enrollment_days').set({ enrollment_count: 77 }).execute()
    expect((await askedAndCounted(life)).asked).not.toEqual((await askedAndCounted(life)).counted)
    await recountFigures(school.db)
    const { asked, counted } = await askedAndCounted(life)
    expect(asked).toEqual(counted)
  })
})

test('counting reads no table as a whole', async () => {
  const { school } = await Life.begin()
  const statements: string[] = []
  world.database.onStatement((text) => statements.push(text))
  await recountFigures(school.db)
  expect(statements.length).toBeGreaterThan(10)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
})

describe('writers', () => {
  test('of one course do not wait for each other', async () => {
    const { school, people, courses } = await Life.begin()
    const [course, lecture] = [courses[0]?.id ?? '', courses[0]?.lectures[0]?.[0] ?? '']
    const complete = (tx: SchoolDb, person: TestPerson | undefined) =>
      tx.run(sql`
      insert into lecture_progress (school_id, user_id, course_id, lecture_id, state, completed_at)
      values (${school.id}, ${person?.id}, ${course}, ${lecture}, 'completed', now())`)
    await school.db.transaction(async (first) => {
      await complete(first, people[0])
      await school.db.transaction(async (second) => {
        await second.run(sql`set local lock_timeout = '1ms'`)
        await complete(second, people[1])
      })
    })
    expect((await prepareFigures(school.db)).isKept).toBe(true)
  })

  test('of a course with many students leave one mark while it waits for the server', async () => {
    const { school, courses } = await Life.begin()
    await prepareFigures(school.db)
    const course = courses[0]?.id ?? ''
    const mark = () => school.db.insert('figure_marks', { part: 'course', key: course }).execute()
    for (let n = 0; n < 5; n++) await mark()
    const marks = async () => (await school.db.from('figure_marks').select('key').execute()).length
    const { keys } = await countMarked(school.db, { keys: 10, rows: -1 })
    expect([keys, await marks()]).toEqual([0, 1])
    await countMarked(school.db, { keys: 10, rows: -1, mayCountLarge: () => true })
    expect(await marks()).toBe(0)
  })

  test('that are not done when the figures are counted leave their marks', async () => {
    const life = await Life.begin()
    const { school, people, courses } = life
    await school.db.transaction(async (late) => {
      const enrollment = {
        id: uuidv7(),
        course_id: courses[0]?.id ?? '',
        user_id: people[0]?.id ?? '',
        source: 'grant' as const,
      }
      await late
        .insert('enrollments', { ...enrollment, enrolled_at: new Date('2026-03-31T07:00:00Z') })
        .execute()
      await prepareFigures(school.db)
    })
    const { asked, counted } = await askedAndCounted(life)
    expect(asked).toEqual(counted)
  })
})

describe('people with a connected app', () => {
  test('are counted by the server at a school with many tokens, again after a minute', async () => {
    const { school, people } = await Life.begin()
    const client = await world.aPublicClient(school)
    const authorize = (count: number) =>
      school.db.run(sql`
      with opened as (
        insert into authorizations (id, school_id, client_id, user_id, audience, scopes)
        select gen_random_uuid(), ${school.id}, ${client.clientId}, ${people[0]?.id}, 'member', '{openid}'
        from generate_series(1, ${count}::int) returning id)
      insert into token_pairs (id, authorization_id, scopes, access_hash, refresh_hash, access_expires_at, refresh_expires_at)
      select id, id, '{openid}', sha256('a'), sha256('b'), now(), now() + interval '1 day' from opened`)
    await authorize(500)
    expect(await countConnectedPeople(school.db)).toBe(1)
    await authorize(1)
    const rounds = new FigureRounds(world.database.db)
    expect(await countConnectedPeople(school.db)).toBe(1)
    while (await rounds.next());
    await school.db.run(sql`
      update authorizations set user_id = ${people[1]?.id} where school_id = ${school.id} and id in (
        select id from authorizations where school_id = ${school.id} limit 1)`)
    expect(await countConnectedPeople(school.db)).toBe(1)
    await school.db
      .update('school_figures')
      .set({ connected_counted_at: new Date(0) })
      .execute()
    expect(await countConnectedPeople(school.db)).toBe(1)
    while (await new FigureRounds(world.database.db).next());
    expect(await countConnectedPeople(school.db)).toBe(2)
  })

  test('that wait to be counted make no other figure old, and are not looked at for it', async () => {
    const { school } = await Life.begin()
    await recountFigures(school.db)
    const marked_at = new Date('2026-01-01T00:00:00Z')
    await school.db.insert('figure_marks', { part: 'connected', key: '', marked_at }).execute()
    const { countedAt } = await prepareFigures(school.db)
    expect(countedAt?.getTime()).toBeGreaterThan(marked_at.getTime())
    const marks = await school.db.from('figure_marks').select('part').execute()
    expect(marks).toEqual([{ part: 'connected' }])
  })
})

/** A new time zone makes a first count necessary; the server does it, here the test. */
async function recountIfForgotten({ school }: Life): Promise<void> {
  if (!(await prepareFigures(school.db)).isKept) await recountFigures(school.db)
}
