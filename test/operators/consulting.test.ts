import { describe, expect, test } from 'vitest'
import {
  cancelMeeting,
  changeMeeting,
  confirmMeeting,
  createMeeting,
  listMeetings,
  readMeeting,
  reopenMeeting,
} from '../../src/domain/consulting/meeting-operations.ts'
import {
  addAttendee,
  bookSlot,
  listAttendees,
  removeAttendee,
} from '../../src/domain/consulting/seat-operations.ts'
import {
  changeService,
  createService,
  listServices,
  offerService,
  pauseService,
  readService,
  removeService,
} from '../../src/domain/consulting/service-operations.ts'
import {
  createSlot,
  createSlots,
  listSlots,
  readSlot,
  removeClass,
  removeSlot,
} from '../../src/domain/consulting/slot-operations.ts'
import {
  addToStudyGroup,
  changeStudyGroup,
  createStudyGroup,
  listRoster,
  listStudyGroups,
  readStudyGroup,
  removeFromStudyGroup,
  removeStudyGroup,
} from '../../src/domain/consulting/study-group-operations.ts'
import { inboxOf as readInbox } from '../../src/domain/notifications/inbox.ts'
import { setSubscription } from '../../src/domain/notifications/subscriptions.ts'
import { verifies } from '../spec/verifies.ts'
import { hoursFromNow } from '../support/consulting.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { aToken, read } from '../support/member-api.ts'
import { Performer } from '../support/performing.ts'
import { sharedWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const staff = new Performer(school, await world.aMember(school, ['owner']))
const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
const elsewhere = await world.aSchool()
const strangers = new Performer(elsewhere, await world.aMember(elsewhere, ['owner']))
const stranger = await world.aMember(elsewhere)

interface SeenMeeting {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly roomUrl: string
  readonly attendeesCount: number
}

interface SeenService {
  readonly title: string
  readonly slots: readonly { readonly weekday: number; readonly startsAt: string }[]
  readonly meetings: readonly { readonly state: string }[]
}

interface Seen {
  readonly consultingMeetings: { readonly nodes: readonly SeenMeeting[] }
  readonly consultingServices: { readonly nodes: readonly SeenService[] }
}

const SEEN = `{ viewer {
  consultingMeetings { nodes { id title state roomUrl attendeesCount } }
  consultingServices { nodes { title slots { weekday startsAt } meetings { state } } } } }`

/** What a member sees through the Member API. */
async function seenBy(person: TestPerson, at: TestSchool = school): Promise<Seen> {
  const token = await tokenOf(person, at)
  return (await read<{ viewer: Seen }>(world, at, token, SEEN)).viewer
}

const tokens = new Map<string, string>()
async function tokenOf(person: TestPerson, at: TestSchool): Promise<string> {
  const known = tokens.get(person.id) ?? (await aToken(world, at, person))
  tokens.set(person.id, known)
  return known
}

async function meetingSeenBy(person: TestPerson, id: string): Promise<SeenMeeting | undefined> {
  return (await seenBy(person)).consultingMeetings.nodes.find((meeting) => meeting.id === id)
}

const times = (hours: number) => ({
  starts_at: hoursFromNow(hours).toISOString(),
  ends_at: hoursFromNow(hours + 1).toISOString(),
})

const createdService = (more: Record<string, unknown> = {}) =>
  staff.does(createService, { title: 'Portfolio review', ...more })

/** The first date after today with this day of the week, in UTC; 1 is Monday. */
function next(weekday: number): string {
  const day = new Date(Date.now() + 86_400_000)
  while ((day.getUTCDay() || 7) !== weekday) day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString().slice(0, 10)
}

describe('services and slots', () => {
  test('are offered to the students of their courses unless the service is paused', async () => {
    const course = await aCourse(school)
    await anEnrollment(school, ada, course)
    const { id } = await createdService({ course_ids: [course.id], host_id: staff.caller.userId })
    const made = await staff.does(createSlots, {
      service_id: id,
      weekdays: ['tuesday', 'thursday'],
      start_times: ['18:00', '09:30'],
      duration_minutes: 45,
    })
    expect(made.data).toMatchObject([
      { weekday: 2, starts_at: '09:30', time_zone: 'UTC', capacity: 1 },
      { weekday: 2, starts_at: '18:00' },
      { weekday: 4, starts_at: '09:30' },
      { weekday: 4, starts_at: '18:00' },
    ])
    const offered = async () =>
      (await seenBy(ada)).consultingServices.nodes.find(({ title }) => title === 'Portfolio review')
    expect((await offered())?.slots).toHaveLength(4)

    await staff.does(pauseService, { id })
    expect(await offered()).toBeUndefined()
    await staff.does(offerService, { id })
    const [first] = made.data as { id: string }[]
    await staff.does(removeSlot, { id: first?.id })
    expect((await offered())?.slots).toEqual([
      { weekday: 2, startsAt: '18:00' },
      { weekday: 4, startsAt: '09:30' },
      { weekday: 4, startsAt: '18:00' },
    ])
    const { version } = await staff.does(readService, { id })
    await staff.does(changeService, { id, if_version: version, course_ids: [] })
    expect(await offered()).toBeUndefined()
    expect(await staff.isRefused(changeService, { id, if_version: version, title: 'Late' })).toBe(
      'stale',
    )
  })

  test('refuse a duplicate time, an unknown time zone, and hosts and courses of other schools', async () => {
    const { id: service_id } = await createdService()
    const slot = { service_id, weekday: 1, starts_at: '08:00', duration_minutes: 30 }
    await staff.does(createSlot, slot)
    expect(await staff.isRefused(createSlot, slot)).toBe('taken')
    expect(await staff.isRefused(createSlot, { ...slot, time_zone: '+08:00' })).toBe(
      '/time_zone invalid',
    )
    expect(await staff.isRefused(createSlot, { ...slot, starts_at: '24:00' })).toBe(
      '/starts_at invalid_format',
    )
    const foreign = await aCourse(elsewhere)
    expect(await staff.isRefused(createService, { title: 'A', course_ids: [foreign.id] })).toBe(
      '/course_ids unknown_reference',
    )
    expect(await staff.isRefused(createService, { title: 'A', host_id: stranger.id })).toBe(
      '/host_id unknown_reference',
    )
  })

  test('a service is removed with its slots, unless it has meetings', async () => {
    const { id } = await createdService({ title: 'Short-lived' })
    await staff.does(createSlot, {
      service_id: id,
      weekday: 1,
      starts_at: '08:00',
      duration_minutes: 30,
    })
    await staff.does(removeService, { id })
    expect((await staff.does(listSlots, { service_id: id })).data).toEqual([])
    const kept = await createdService({ title: 'Met for' })
    await staff.does(createMeeting, { service_id: kept.id, ...times(5), member_ids: [ada.id] })
    expect(await staff.isRefused(removeService, { id: kept.id })).toBe('in_use')
    expect((await staff.does(listServices, { search: 'met F' })).data).toMatchObject([
      { id: kept.id, upcoming_meeting_count: 1 },
    ])
  })
})

describe('booking a slot for a member', () => {
  test('takes a seat and leaves the meeting available, which staff then confirm or cancel', async () => {
    const { id: service_id } = await createdService()
    const slot = await staff.does(createSlot, {
      service_id,
      weekday: 3,
      starts_at: '10:00',
      duration_minutes: 60,
      capacity: 2,
    })
    const booking = { id: slot.id, on: next(3) }
    const meeting = await staff.does(bookSlot, { ...booking, member_id: ada.id })
    expect(meeting).toMatchObject({
      title: 'Portfolio review',
      starts_at: `${next(3)}T10:00:00.000Z`,
      ends_at: `${next(3)}T11:00:00.000Z`,
    })
    const { id } = meeting
    expect(await meetingSeenBy(ada, id)).toMatchObject({ state: 'available', attendeesCount: 1 })
    expect(await meetingSeenBy(ben, id)).toBeUndefined()

    const again = await staff.does(bookSlot, { ...booking, member_id: ben.id })
    expect(again.id).toBe(id)
    await staff.does(confirmMeeting, { id, room_url: 'https://rooms.test/1' })
    expect(await meetingSeenBy(ben, id)).toMatchObject({
      state: 'scheduled',
      roomUrl: 'https://rooms.test/1',
      attendeesCount: 2,
    })

    await staff.does(cancelMeeting, { id })
    expect(await meetingSeenBy(ada, id)).toMatchObject({ state: 'canceled', roomUrl: '' })
    expect(await staff.isRefused(confirmMeeting, { id })).toBe('canceled')
    expect(await staff.isRefused(addAttendee, { id, member_id: staff.caller.userId })).toBe(
      'canceled',
    )
    await staff.does(reopenMeeting, { id })
    expect(await meetingSeenBy(ada, id)).toMatchObject({ state: 'available' })
  })

  test('refuses a full meeting, a second seat, other weekdays, the past, a paused service and non-members', async () => {
    const { id: service_id } = await createdService()
    const slot = await staff.does(createSlot, {
      service_id,
      weekday: 5,
      starts_at: '10:00',
      duration_minutes: 60,
      time_zone: 'Asia/Taipei',
      capacity: 1,
    })
    const booking = { id: slot.id, on: next(5), member_id: ada.id }
    const { id } = await staff.does(bookSlot, booking)
    const extra = { ...booking, member_id: ben.id }
    expect(await staff.isRefused(bookSlot, extra)).toBe('full')
    expect(await staff.isRefused(addAttendee, { id, member_id: ben.id })).toBe('full')
    await staff.does(removeAttendee, { id, member_id: ada.id })
    expect(await staff.isRefused(removeAttendee, { id, member_id: ada.id })).toBe(
      '/member_id no_seat',
    )
    await staff.does(addAttendee, { id, member_id: ben.id })
    expect((await staff.does(listAttendees, { meeting_id: id })).data).toMatchObject([
      { id: ben.id, name: ben.name, email: ben.email },
    ])
    expect(await staff.isRefused(bookSlot, { ...booking, on: next(6) })).toBe('/on other_weekday')
    expect(await staff.isRefused(bookSlot, { ...booking, on: '2020-01-03' })).toBe(
      '/on in_the_past',
    )
    await staff.does(pauseService, { id: service_id })
    expect(await staff.isRefused(bookSlot, booking)).toBe('paused')
    const open = await staff.does(createMeeting, { service_id, ...times(7) })
    const seat = { id: open.id, member_id: ada.id }
    await staff.does(addAttendee, seat)
    expect(await staff.isRefused(addAttendee, seat)).toBe('/member_id already_seated')
    expect(await staff.isRefused(addAttendee, { ...seat, member_id: stranger.id })).toBe(
      '/member_id unknown_reference',
    )
  })

  test('of two members who book the last seat at once, one gets it', async () => {
    const { id: service_id } = await createdService()
    const slot = await staff.does(createSlot, {
      service_id,
      weekday: 7,
      starts_at: '10:00',
      duration_minutes: 60,
    })
    const booking = { id: slot.id, on: next(7) }
    const outcomes = await Promise.allSettled([
      staff.does(bookSlot, { ...booking, member_id: ada.id }),
      staff.does(bookSlot, { ...booking, member_id: ben.id }),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await staff.does(listMeetings, { service_id })).data).toMatchObject([
      { attendee_count: 1 },
    ])
  })
})

describe('meetings', () => {
  test('belong to either a service or a group, and end after they start', async () => {
    const { id: service_id } = await createdService()
    const { id: study_group_id } = await staff.does(createStudyGroup, { name: 'Evening' })
    expect(await staff.isRefused(createMeeting, times(1))).toBe('/service_id one_of')
    expect(await staff.isRefused(createMeeting, { ...times(1), service_id, study_group_id })).toBe(
      '/study_group_id one_of',
    )
    const backwards = { starts_at: times(2).ends_at, ends_at: times(2).starts_at }
    expect(await staff.isRefused(createMeeting, { service_id, ...backwards })).toBe(
      '/ends_at before_start',
    )
    const { id } = await staff.does(createMeeting, { service_id, ...times(3) })
    expect(
      await staff.isRefused(changeMeeting, { id, ends_at: hoursFromNow(2).toISOString() }),
    ).toBe('/ends_at before_start')
    const link = { service_id, ...times(1), room_url: 'javascript:alert(1)' }
    expect(await staff.isRefused(createMeeting, link)).toMatch('/room_url')
  })

  test('can change their time, title and room, and members see it at once', async () => {
    const { id: service_id } = await createdService()
    const { id } = await staff.does(createMeeting, {
      service_id,
      ...times(4),
      member_ids: [ada.id],
    })
    const room_url = 'https://rooms.test/new'
    await staff.does(changeMeeting, { id, title: 'Moved', ...times(9), room_url })
    expect(await meetingSeenBy(ada, id)).toMatchObject({ title: 'Moved', roomUrl: room_url })
    const [from, to] = [hoursFromNow(8), hoursFromNow(10)].map((date) => date.toISOString())
    const listed = await staff.does(listMeetings, {
      member_id: ada.id,
      starts_after: from,
      starts_before: to,
    })
    expect(listed.data).toMatchObject([{ id, held_for: 'Portfolio review', kind: 'consulting' }])
  })

  test('cannot be confirmed after they are over', async () => {
    const { id: service_id } = await createdService()
    const { id } = await staff.does(createMeeting, { service_id, ...times(-5) })
    expect(await staff.isRefused(confirmMeeting, { id })).toBe('over')
    const soon = await staff.does(createMeeting, { service_id, ...times(5) })
    const listed = async (when: string) =>
      ((await staff.does(listMeetings, { service_id, when })).data as { id: string }[]).map(
        (meeting) => meeting.id,
      )
    expect(await listed('past')).toEqual([id])
    expect(await listed('upcoming')).toEqual([soon.id])
  })
})

describe('study groups', () => {
  test('their classes are in the schedule of the members on the roster, and stay available', async () => {
    const { id } = await staff.does(createStudyGroup, { name: 'Night owls', member_ids: [ada.id] })
    const lesson = await staff.does(createMeeting, {
      study_group_id: id,
      ...times(30),
      room_url: 'https://rooms.test/owls',
    })
    expect(await meetingSeenBy(ada, lesson.id)).toMatchObject({
      title: 'Night owls',
      state: 'available',
      roomUrl: 'https://rooms.test/owls',
      attendeesCount: 1,
    })
    expect(await meetingSeenBy(ben, lesson.id)).toBeUndefined()
    await staff.does(addToStudyGroup, { id, member_id: ben.id })
    expect(await meetingSeenBy(ben, lesson.id)).toMatchObject({ attendeesCount: 2 })
    expect(await staff.isRefused(addToStudyGroup, { id, member_id: ben.id })).toBe(
      '/member_id already_in_group',
    )
    expect((await staff.does(listRoster, { group_id: id })).data).toHaveLength(2)
    await staff.does(removeFromStudyGroup, { id, member_id: ada.id })
    expect(await meetingSeenBy(ada, lesson.id)).toBeUndefined()
    expect((await staff.does(listRoster, { group_id: id })).data).toMatchObject([{ id: ben.id }])
    expect(await staff.isRefused(removeFromStudyGroup, { id, member_id: ada.id })).toBe(
      '/member_id not_in_group',
    )
  })

  test('a class has no seats and cannot be confirmed, and a group with classes cannot be deleted', async () => {
    const { id } = await staff.does(createStudyGroup, { name: 'Early birds' })
    const lesson = { study_group_id: id, ...times(31) }
    expect(await staff.isRefused(createMeeting, { ...lesson, member_ids: [ada.id] })).toBe(
      '/member_ids study_group',
    )
    expect(await staff.isRefused(createMeeting, { ...lesson, state: 'scheduled' })).toBe(
      '/state study_group',
    )
    const { id: held } = await staff.does(createMeeting, lesson)
    expect(await staff.isRefused(addAttendee, { id: held, member_id: ada.id })).toBe('study_group')
    expect(await staff.isRefused(confirmMeeting, { id: held })).toBe('study_group')
    expect(await staff.isRefused(cancelMeeting, { id: held })).toBe('study_group')
    expect(await staff.isRefused(removeStudyGroup, { id })).toBe('in_use')
    await staff.does(changeStudyGroup, { id, name: 'Larks' })
    expect((await staff.does(listStudyGroups, { search: 'lark' })).data).toMatchObject([
      { id, upcoming_class_count: 1, member_count: 0 },
    ])
    const unused = await staff.does(createStudyGroup, { name: 'Unused' })
    await staff.does(removeStudyGroup, { id: unused.id })
    expect(await staff.isRefused(readStudyGroup, { id: unused.id })).toBe('not_found')
  })
})

describe('a class that does not take place', () => {
  const inboxOf = async (member: TestPerson) => {
    const entries = await readInbox(school.db, member.id, { limit: 10, fromEnd: false })
    return entries
      .filter(({ kind }) => kind === 'class_canceled')
      .map(({ title, body, readAt }) => ({ title, body, readAt }))
  }

  verifies(
    'meeting.study-group.removed',
    'is removed, and the members of the group get a notification, except those who muted it',
    async () => {
      const [eve, muted, outside] = [
        await world.aMember(school),
        await world.aMember(school),
        await world.aMember(school),
      ]
      await setSubscription(school.db, muted.id, {
        topic: 'meetings',
        channel: 'in_app',
        enabled: false,
      })
      const { id: study_group_id } = await staff.does(createStudyGroup, {
        name: 'Night owls',
        member_ids: [eve.id, muted.id],
      })
      const start = '2096-11-16T04:30:00.000Z'
      const lesson = { study_group_id, starts_at: start, ends_at: '2096-11-16T05:30:00.000Z' }
      const { id, version } = await staff.does(createMeeting, lesson)
      expect(await staff.isRefused(removeClass, { id, if_version: Number(version) + 1 })).toBe(
        'stale',
      )
      expect(await inboxOf(eve)).toEqual([])
      await staff.does(removeClass, { id, if_version: version })
      expect(await meetingSeenBy(eve, id)).toBeUndefined()
      expect(await staff.isRefused(readMeeting, { id })).toBe('not_found')
      expect(await inboxOf(eve)).toEqual([
        {
          title: 'A class does not take place',
          body: expect.stringMatching(/^Night owls, Friday, November 16, 2096 at .+ is no longer/),
          readAt: null,
        },
      ])
      expect([await inboxOf(muted), await inboxOf(outside)]).toEqual([[], []])
      await staff.does(removeStudyGroup, { id: study_group_id })
    },
  )

  test('is removed without a notification if it is over', async () => {
    const eve = await world.aMember(school)
    const { id: study_group_id } = await staff.does(createStudyGroup, {
      name: 'Early birds',
      member_ids: [eve.id],
    })
    const { id } = await staff.does(createMeeting, { study_group_id, ...times(-5) })
    await staff.does(removeClass, { id })
    expect(await inboxOf(eve)).toEqual([])
  })

  test('is the only kind of meeting that can be removed', async () => {
    const { id: service_id } = await createdService()
    const { id } = await staff.does(createMeeting, { service_id, ...times(6) })
    expect(await staff.isRefused(removeClass, { id })).toBe('consulting')
    expect(await staff.does(readMeeting, { id })).toMatchObject({ id })
  })
})

test('another school cannot read or change any of these objects', async () => {
  const { id: service_id } = await createdService()
  const slot = await staff.does(createSlot, {
    service_id,
    weekday: 1,
    starts_at: '10:00',
    duration_minutes: 60,
  })
  const { id: group } = await staff.does(createStudyGroup, { name: 'Ours' })
  const { id: meeting } = await staff.does(createMeeting, {
    service_id,
    ...times(3),
    member_ids: [ada.id],
  })
  const attempts = [
    [readService, { id: service_id }],
    [changeService, { id: service_id, title: 'Theirs' }],
    [pauseService, { id: service_id }],
    [removeService, { id: service_id }],
    [createSlot, { service_id, weekday: 2, starts_at: '10:00', duration_minutes: 60 }],
    [readSlot, { id: slot.id }],
    [removeSlot, { id: slot.id }],
    [bookSlot, { id: slot.id, on: next(1), member_id: stranger.id }],
    [readMeeting, { id: meeting }],
    [changeMeeting, { id: meeting, title: 'Theirs' }],
    [confirmMeeting, { id: meeting }],
    [cancelMeeting, { id: meeting }],
    [removeClass, { id: meeting }],
    [listAttendees, { meeting_id: meeting }],
    [addAttendee, { id: meeting, member_id: stranger.id }],
    [removeAttendee, { id: meeting, member_id: ada.id }],
    [readStudyGroup, { id: group }],
    [changeStudyGroup, { id: group, name: 'Theirs' }],
    [addToStudyGroup, { id: group, member_id: stranger.id }],
    [listRoster, { group_id: group }],
    [removeStudyGroup, { id: group }],
  ] as const
  for (const [operation, input] of attempts) {
    expect(await strangers.isRefused(operation, input), operation.name).toBe('not_found')
  }
  expect(await strangers.isRefused(createMeeting, { service_id, ...times(3) })).toBe(
    '/service_id unknown_reference',
  )
  expect(await strangers.isRefused(createMeeting, { service_id, title: 'A', ...times(3) })).toBe(
    '/service_id unknown_reference',
  )
  for (const list of [listServices, listSlots, listMeetings, listStudyGroups]) {
    expect((await strangers.does(list, {})).data, list.name).toEqual([])
  }
  expect(await meetingSeenBy(ada, meeting)).toMatchObject({ state: 'available' })
})
