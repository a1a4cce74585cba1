import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fillSeatTimes } from '../../../src/domain/consulting/seat-operations.ts'
import { verifies } from '../../spec/verifies.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../../support/consulting.ts'
import { aCourse, anEnrollment, daysFromNow } from '../../support/learning.ts'
import { ask, aToken, read } from '../../support/member-api.ts'
import { connect } from '../../support/postgres.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const MEETINGS = `query ($first: Int, $last: Int, $after: String, $filter: ConsultingMeetingFilter) {
  viewer { consultingMeetings(first: $first, last: $last, after: $after, filter: $filter) {
    totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
    nodes { id title kind state startedAt endedAt roomUrl attendeesCount } } } }`

interface MeetingAnswer {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly startedAt: number
  readonly endedAt: number
  readonly roomUrl: string
  readonly attendeesCount: number
}

interface MeetingsAnswer {
  readonly totalCount: number
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly endCursor: string | null
  }
  readonly nodes: readonly MeetingAnswer[]
}

async function meetings(
  token: string,
  args: Record<string, unknown> = {},
): Promise<MeetingsAnswer> {
  const { viewer } = await read<{ viewer: { consultingMeetings: MeetingsAnswer } }>(
    world,
    school,
    token,
    MEETINGS,
    args,
  )
  return viewer.consultingMeetings
}

const idsOf = ({ nodes }: MeetingsAnswer): string[] => nodes.map(({ id }) => id)

describe('the meetings of the viewer', () => {
  verifies(
    [
      'viewer.consulting-meetings',
      'meeting.own-seats',
      'meeting.study-groups',
      'meeting.study-group.roster',
      'meeting.never-others',
      'meeting.attendees-count',
      'meeting.fields',
      'meeting.state.study-group',
      'meeting.state.reserved',
      'meeting.state.confirmed',
    ],
    'seats of the viewer and classes of their groups, never bookings of other members',
    async () => {
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const service = await aService(school, [])
      const group = await aStudyGroup(school, [ada, ben])
      const strangers = await aStudyGroup(school, [ben])
      const reserved = await aMeeting(school, { service, seats: [ada], start: hoursFromNow(3) })
      const confirmed = await aMeeting(school, {
        service,
        seats: [ben, ada],
        state: 'scheduled',
        start: hoursFromNow(2),
      })
      const lesson = await aMeeting(school, { group, start: hoursFromNow(1) })
      await aMeeting(school, { service, seats: [ben] })
      await aMeeting(school, { service, seats: [] })
      await aMeeting(school, { group: strangers })
      const { nodes, totalCount } = await meetings(await aToken(world, school, ada))
      expect(totalCount).toBe(3)
      expect(
        nodes.map(({ id, kind, state, attendeesCount }) => [id, kind, state, attendeesCount]),
      ).toEqual([
        [reserved, 'consulting', 'available', 1],
        [confirmed, 'consulting', 'scheduled', 2],
        [lesson, 'study_group', 'available', 2],
      ])
      const his = await meetings(await aToken(world, school, ben))
      expect(his.totalCount).toBe(4)
      expect(his.nodes.find(({ id }) => id === confirmed)?.attendeesCount).toBe(2)
      expect(idsOf(his)).not.toContain(reserved)
    },
  )
})

describe('the attendees of a class', () => {
  test('are as many as the roster has, after members came and went, several at once, too', async () => {
    const [ada, ben, eve] = [
      await world.aMember(school),
      await world.aMember(school),
      await world.aMember(school),
    ]
    const [group, other] = [await aStudyGroup(school, [ada]), await aStudyGroup(school, [ben, ada])]
    const [lesson, talk] = [
      await aMeeting(school, { group }),
      await aMeeting(school, { group: other }),
    ]
    const token = await aToken(world, school, ada)
    const attendees = async () => {
      const { nodes } = await meetings(token)
      return [lesson, talk].map((id) => nodes.find((node) => node.id === id)?.attendeesCount)
    }
    expect(await attendees()).toEqual([1, 2])
    await school.db.run(sql`
      insert into study_group_members (school_id, group_id, user_id)
      select ${school.id}, g, u from unnest(${[group, other]}::uuid[]) g, unnest(${[ada.id, ben.id, eve.id]}::uuid[]) u
      on conflict do nothing`)
    expect(await attendees()).toEqual([3, 3])
    await school.db.run(sql`
      delete from study_group_members where school_id = ${school.id} and user_id = ${eve.id}`)
    await school.db.run(sql`
      delete from study_group_members where school_id = ${school.id} and group_id = ${other} and user_id = ${ben.id}`)
    expect(await attendees()).toEqual([2, 1])
  })

  test('are not counted for each answer: a roster can be long', async () => {
    const ada = await world.aMember(school)
    const group = await aStudyGroup(school, [ada])
    await aMeeting(school, { group })
    const token = await aToken(world, school, ada)
    const sent: string[] = []
    world.database.onStatement((text) => sent.push(text))
    await meetings(token)
    const counting = sent.filter((text) => text.includes('as attendees'))
    expect(counting).toHaveLength(1)
    expect(counting[0]).not.toContain('study_group_members')
  })
})

describe('seats', () => {
  test('move with their meeting, also those that are taken while it moves', async () => {
    const ada = await world.aMember(school)
    const service = await aService(school, [])
    const seats = [ada]
    const first = await aMeeting(school, { service, seats, start: hoursFromNow(5) })
    const second = await aMeeting(school, { service, seats, start: hoursFromNow(4) })
    const late = await aMeeting(school, { service, seats: [], start: hoursFromNow(3) })
    const token = await aToken(world, school, ada)
    expect(idsOf(await meetings(token))).toEqual([first, second])
    const move = (id: string, hours: number) =>
      sql`starts_at = ${hoursFromNow(hours)}, ends_at = ${hoursFromNow(hours + 1)} where id = ${id}`
    await school.db.run(sql`update consulting_meetings set ${move(first, 1)}`)
    expect(idsOf(await meetings(token))).toEqual([second, first])
    const taken = await school.db.transaction(async (tx) => {
      await tx.run(sql`update consulting_meetings set ${move(late, 9)}`)
      const taking = school.db
        .insert('meeting_seats', { meeting_id: late, user_id: ada.id })
        .execute()
      const waiting = sql`
        select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))`
      while ((await tx.run(waiting)).rows.length === 0);
      return { taking }
    })
    await taken.taking
    expect(idsOf(await meetings(token))).toEqual([late, second, first])
  })

  test('from before an update are in their places before and after a server fills them in', async () => {
    const ada = await world.aMember(school)
    const service = await aService(school, [])
    const all: string[] = []
    for (let hour = 8; hour > 0; hour--) {
      all.push(await aMeeting(school, { service, seats: [ada], start: hoursFromNow(hour) }))
    }
    await school.db.run(sql`
      update meeting_seats set starts_at = null where user_id = ${ada.id} and meeting_id = any(${all.slice(2, 6)}::uuid[])`)
    const token = await aToken(world, school, ada)
    const walk = async () => {
      const one = await meetings(token, { first: 3 })
      const two = await meetings(token, { first: 3, after: one.pageInfo.endCursor })
      return [...idsOf(one), ...idsOf(two), ...idsOf(await meetings(token, { last: 2 }))]
    }
    expect(await walk()).toEqual(all)
    expect(await fillSeatTimes(world.database.db)).toBeGreaterThanOrEqual(4)
    expect(await fillSeatTimes(world.database.db)).toBe(0)
    expect(await walk()).toEqual(all)
  })

  test('of a member with thousands of meetings are not all read for a page', async () => {
    const ada = await world.aMember(school)
    const service = await aService(school, [])
    await school.db.run(sql`
      with held as (
        insert into consulting_meetings (school_id, id, service_id, title, state, starts_at, ends_at)
        select ${school.id}, gen_random_uuid(), ${service}, 'Meeting', 'scheduled', t, t + interval '1 hour'
        from generate_series(1, 3000) n, lateral (select timestamptz '2027-01-01Z' + n * interval '1 hour' as t) x
        returning id)
      insert into meeting_seats (school_id, meeting_id, user_id) select ${school.id}, id, ${ada.id} from held`)
    await school.db.run(sql`analyze meeting_seats, consulting_meetings`)
    const token = await aToken(world, school, ada)
    const sent: { text: string; values: readonly unknown[] }[] = []
    world.database.onStatement((text, values) => sent.push({ text, values }))
    await read(
      world,
      school,
      token,
      '{ viewer { consultingMeetings(first: 20) { nodes { id } } } }',
    )
    const page = sent.find(({ text }) => text.includes('meeting_seats'))
    const client = await connect(world.database.connection)
    try {
      await client.query('set plan_cache_mode = force_generic_plan')
      expect(await rowsRead(client, page?.text ?? '', page?.values ?? [])).toBeLessThan(100)
    } finally {
      await client.end()
    }
  })
})

describe('the room', () => {
  verifies(
    ['meeting.room-url', 'meeting.room-url.over'],
    'is shown until the meeting ends or is canceled, then it is an empty string',
    async () => {
      const ada = await world.aMember(school)
      const service = await aService(school, [])
      const seats = [ada]
      const sketches = [
        { start: hoursFromNow(5), state: 'canceled' },
        { start: hoursFromNow(4), state: 'scheduled' },
        { start: hoursFromNow(3), state: 'available' },
        { start: hoursFromNow(-1), hours: 2, state: 'scheduled' },
        { start: hoursFromNow(-3), hours: 2, state: 'scheduled' },
        { start: hoursFromNow(-6), state: 'canceled' },
      ] as const
      for (const sketch of sketches) await aMeeting(school, { service, seats, ...sketch })
      const { nodes } = await meetings(await aToken(world, school, ada))
      expect(nodes.map(({ id, roomUrl }) => roomUrl === `https://rooms.test/${id}`)).toEqual([
        false,
        true,
        true,
        true,
        false,
        false,
      ])
      expect(nodes.filter(({ roomUrl }) => roomUrl === '')).toHaveLength(3)
    },
  )
})

describe('the filter', () => {
  verifies(
    [
      'meeting.order',
      'meeting.filter',
      'meeting.filter.upcoming',
      'meeting.filter.history',
      'meeting.next-is-last',
      'meeting.state.canceled',
    ],
    'upcoming schedule, history, and the next meeting as the last of a window',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const service = await aService(school, [])
      const group = await aStudyGroup(school, [ada])
      const seats = [ada]
      const past = await aMeeting(school, { service, seats, start: hoursFromNow(-48) })
      const offBefore = await aMeeting(school, {
        service,
        seats,
        start: hoursFromNow(-24),
        state: 'canceled',
      })
      const off = await aMeeting(school, {
        service,
        seats,
        start: hoursFromNow(1),
        state: 'canceled',
      })
      const next = await aMeeting(school, { group, start: hoursFromNow(2) })
      const later = await aMeeting(school, {
        service,
        seats,
        start: hoursFromNow(30),
        state: 'scheduled',
      })
      const now = seconds(new Date())
      expect(idsOf(await meetings(token))).toEqual([later, next, off, offBefore, past])
      const upcoming = { startedAfter: now, state: ['available', 'scheduled'] }
      expect(idsOf(await meetings(token, { filter: upcoming }))).toEqual([later, next])
      expect(idsOf(await meetings(token, { filter: upcoming, last: 1 }))).toEqual([next])
      expect(idsOf(await meetings(token, { filter: upcoming, first: 1 }))).toEqual([later])
      const history = await meetings(token, { filter: { startedBefore: now } })
      expect(idsOf(history)).toEqual([offBefore, past])
      expect(history.totalCount).toBe(2)
      expect(idsOf(await meetings(token, { filter: { state: ['canceled'] } }))).toEqual([
        off,
        offBefore,
      ])
      expect(idsOf(await meetings(token, { filter: { state: [] } }))).toEqual([])
      const again = { state: Array.from({ length: 15_000 }, () => 'canceled') }
      expect(idsOf(await meetings(token, { filter: again }))).toEqual([off, offBefore])
      const nothing = { startedAfter: null, startedBefore: null, state: null }
      expect(idsOf(await meetings(token, { filter: nothing }))).toHaveLength(5)
      expect(idsOf(await meetings(token, { filter: null }))).toHaveLength(5)
    },
  )

  verifies(
    'meeting.filter.running',
    'a meeting that runs now is the next one and no past one: endedAfter and endedBefore, with their seconds',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const service = await aService(school, [])
      const group = await aStudyGroup(school, [ada])
      const start = hoursFromNow(-0.5)
      const seats = [ada]
      const past = await aMeeting(school, { service, seats, start: hoursFromNow(-3) })
      const running = await aMeeting(school, { service, seats, start })
      const alsoRunning = await aMeeting(school, { group, start: hoursFromNow(-0.25) })
      const later = await aMeeting(school, { service, seats, start: hoursFromNow(2) })
      const now = seconds(new Date())
      const state = ['available', 'scheduled']
      const open = { endedAfter: now, state }
      expect(idsOf(await meetings(token, { filter: open }))).toEqual([later, alsoRunning, running])
      expect(idsOf(await meetings(token, { filter: open, last: 1 }))).toEqual([running])
      expect(idsOf(await meetings(token, { filter: { endedBefore: now } }))).toEqual([past])
      const begun = { startedBefore: now, endedAfter: now }
      expect((await meetings(token, { filter: begun })).totalCount).toBe(2)
      const [{ endedAt = 0 } = {}] = (await meetings(token, { filter: begun, last: 1 })).nodes
      const total = async (filter: object) =>
        (await meetings(token, { filter: { ...filter, startedBefore: seconds(start) + 1 } }))
          .totalCount
      expect(await total({ endedAfter: endedAt })).toBe(1)
      expect(await total({ endedAfter: endedAt + 1 })).toBe(0)
      expect(await total({ endedBefore: endedAt })).toBe(1)
      expect(await total({ endedBefore: endedAt + 1 })).toBe(2)
    },
  )

  verifies(
    ['meeting.filter.bounds', 'meeting.filter.unix-seconds'],
    'startedAfter includes its second, startedBefore excludes it',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const service = await aService(school, [])
      const start = new Date(Date.UTC(2026, 5, 1, 12))
      await aMeeting(school, { service, seats: [ada], start })
      const total = async (filter: object) => (await meetings(token, { filter })).totalCount
      const at = seconds(start)
      expect(await total({ startedAfter: at })).toBe(1)
      expect(await total({ startedAfter: at + 1 })).toBe(0)
      expect(await total({ startedBefore: at })).toBe(0)
      expect(await total({ startedBefore: at + 1 })).toBe(1)
      expect(await total({ startedAfter: at, startedBefore: at + 1 })).toBe(1)
      const text = await ask(world, school, token, MEETINGS, { filter: { startedAfter: 'soon' } })
      expect(text.errors?.[0]?.message).toMatch(
        /Expected type "UnixTime"\. Send whole Unix seconds/,
      )
      const unknown = await ask(world, school, token, MEETINGS, { filter: { state: ['done'] } })
      expect(unknown.errors?.[0]?.message).toMatch(/"done" does not exist/)
    },
  )

  test('an omitted variable does not filter, interpreted and compiled', async () => {
    const ada = await world.aMember(school)
    const token = await aToken(world, school, ada)
    await aMeeting(school, { group: await aStudyGroup(school, [ada]), start: hoursFromNow(1) })
    const query = `query ($before: Int, $state: [ConsultingMeetingState!]) { viewer {
      consultingMeetings(filter: { startedAfter: 1, startedBefore: $before, state: $state }) {
        totalCount } } }`
    for (let i = 0; i < 3; i++) {
      const { data } = await ask(world, school, token, query)
      expect(data).toEqual({ viewer: { consultingMeetings: { totalCount: 1 } } })
    }
  })

  verifies(
    ['meeting.page-size', 'meeting.last-beyond-page'],
    'fifty on a page, and last counts from the end of the whole window',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const service = await aService(school, [])
      const group = await aStudyGroup(school, [ada])
      const made: string[] = []
      for (let i = 1; i <= 60; i++) {
        const of = i % 2 === 0 ? { group } : { service, seats: [ada] }
        made.unshift(await aMeeting(school, { ...of, start: hoursFromNow(i) }))
      }
      const filter = { startedAfter: seconds(new Date()) }
      const first = await meetings(token, { filter, first: 500 })
      expect(idsOf(first)).toEqual(made.slice(0, 50))
      const rest = await meetings(token, { filter, first: 50, after: first.pageInfo.endCursor })
      expect(idsOf(rest)).toEqual(made.slice(50))
      expect(idsOf(await meetings(token, { filter, last: 1 }))).toEqual(made.slice(59))
      const last = await meetings(token, { filter, last: 55 })
      expect(idsOf(last)).toEqual(made.slice(10))
      expect(last.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false })
      expect(last.totalCount).toBe(60)
    },
  )
})

describe('services', () => {
  const SERVICES = `{ viewer { consultingServices { totalCount nodes { id title
    slots { weekday startsAt durationMinutes timeZone capacity }
    meetings { startedAt endedAt state } } } } }`

  interface ServicesAnswer {
    readonly viewer: {
      readonly consultingServices: {
        readonly totalCount: number
        readonly nodes: readonly {
          readonly id: string
          readonly slots: readonly unknown[]
          readonly meetings: readonly { readonly startedAt: number; readonly state: string }[]
        }[]
      }
    }
  }

  verifies(
    [
      'viewer.consulting-services',
      'viewer.consulting-services.not-purchases',
      'viewer.consulting-services.lapsed',
    ],
    'are those offered with the courses of the viewer, bought or not, lapsed or not',
    async () => {
      const ada = await world.aMember(school)
      const [mine, ended, revoked, notMine] = [
        await aCourse(school),
        await aCourse(school),
        await aCourse(school),
        await aCourse(school),
      ]
      await anEnrollment(school, ada, mine)
      await anEnrollment(school, ada, ended, { expiresAt: daysFromNow(-1) })
      await anEnrollment(school, ada, revoked, { revokedAt: daysFromNow(-1) })
      const offered = await aService(school, [mine, notMine])
      const lapsed = await aService(school, [ended])
      await aService(school, [notMine])
      await aService(school, [revoked])
      await aService(school, [mine], { paused: true })
      const { viewer } = await read<ServicesAnswer>(
        world,
        school,
        await aToken(world, school, ada),
        SERVICES,
      )
      expect(viewer.consultingServices.totalCount).toBe(2)
      const ids = viewer.consultingServices.nodes.map(({ id }) => id)
      expect(new Set(ids)).toEqual(new Set([lapsed, offered]))
    },
  )

  verifies(
    [
      'consulting-service.slots',
      'consulting-service.meetings',
      'consulting-service.meetings.unmarked',
      'consulting-service.reserved-meeting',
    ],
    'show their recurring slots and reserved times, without the people',
    async () => {
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const course = await aCourse(school)
      await anEnrollment(school, ada, course)
      const service = await aService(school, [course])
      const [soon, later] = [hoursFromNow(1), hoursFromNow(2)]
      await aMeeting(school, { service, seats: [ben], start: soon, state: 'scheduled' })
      await aMeeting(school, { service, seats: [ada], start: later })
      await aMeeting(school, { service, seats: [], start: hoursFromNow(3) })
      const { viewer } = await read<ServicesAnswer>(
        world,
        school,
        await aToken(world, school, ada),
        SERVICES,
      )
      const [found] = viewer.consultingServices.nodes
      expect(found?.slots).toEqual([
        {
          weekday: 3,
          startsAt: '09:30',
          durationMinutes: 45,
          timeZone: 'Asia/Taipei',
          capacity: 4,
        },
      ])
      expect(found?.meetings.map(({ startedAt, state }) => [startedAt, state])).toEqual([
        [seconds(later), 'available'],
        [seconds(soon), 'scheduled'],
      ])
      expect(JSON.stringify(viewer)).not.toContain('rooms.test')
      expect(JSON.stringify(viewer)).not.toContain(ben.id)
    },
  )
})
