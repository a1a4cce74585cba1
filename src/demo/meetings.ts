import { classRemoved } from '../domain/consulting/slot-operations.ts'
import type {
  BookingSketch,
  ServiceSketch,
  SlotSketch,
  StudyGroupSketch,
} from './content/school-content.ts'
import { courseId } from './courses.ts'
import { classmatesOf, personId } from './people.ts'
import { idAt, type Stage, varietyOf } from './stage.ts'

const MINUTE = 60_000
const WEEK = 7 * 24 * 60 * MINUTE

type MeetingState = 'available' | 'scheduled' | 'canceled'

interface Meeting {
  readonly name: string
  readonly title: string
  readonly of: { readonly service_id: string } | { readonly study_group_id: string }
  readonly state: MeetingState
  readonly start: Date
  readonly minutes: number
  readonly seats: readonly string[]
}

/** All meetings of a school: those of the named people, classes of study groups, and others. */
export function addMeetings(stage: Stage): void {
  const bookings = stage.school.members.flatMap(({ who, bookings: own = [] }) =>
    own.map((booking) => ({ who, booking })),
  )
  for (const { who, booking } of bookings) addBooked(stage, who, booking)
  const taken = new Set(bookings.map(({ booking }) => `${booking.service}/${booking.slot}`))
  for (const service of stage.school.services) {
    for (const [s, slot] of service.slots.entries()) {
      if (!taken.has(`${service.key}/${s}`)) addOthers(stage, service, slot, s)
    }
  }
  addClasses(stage)
  addOngoing(stage)
}

/**
 * A reserved meeting stays `available` until staff confirm it as `scheduled`; a `canceled` one
 * keeps its owner. Past and future weeks have all three.
 */
function stateOf(week: number): MeetingState {
  const past = ['scheduled', 'scheduled', 'available', 'scheduled', 'canceled'] as const
  const coming = ['scheduled', 'available', 'available', 'canceled'] as const
  return (week < 0 ? past[-week % past.length] : coming[week % coming.length]) ?? 'available'
}

function addBooked(stage: Stage, who: string, booking: BookingSketch): void {
  const service = stage.school.services.find(({ key }) => key === booking.service)
  const slot = service?.slots[booking.slot]
  if (service === undefined || slot === undefined) {
    throw new Error(`${stage.school.name} has no slot ${booking.slot} of ${booking.service}`)
  }
  const [first, last] = booking.weeks
  for (let week = first; week <= last; week++) {
    // Every other week another member attends too.
    const company = week % 2 === 0 ? (booking.together ?? []) : []
    addSlotMeeting(stage, service, slot, {
      name: `${service.key}/${booking.slot}/${week}`,
      week,
      state: stateOf(week),
      seats: [who, ...company],
    })
  }
}

/** Meetings of classmates: Ada and Ben see them at the service, but not among their own. */
function addOthers(stage: Stage, service: ServiceSketch, slot: SlotSketch, s: number): void {
  const classmates = classmatesOf(stage.school)
  const variety = varietyOf(`${stage.school.key}/meetings/${service.key}/${s}`)
  for (let week = -6; week <= 5; week++) {
    // Two open slots without a reservation.
    const count = week === 3 || week === -4 ? 0 : variety.integer(1, slot.capacity)
    const first = variety.integer(0, classmates.length - 1 - slot.capacity)
    const seats = classmates.slice(first, first + count)
    const state = count === 0 ? 'available' : stateOf(week)
    addSlotMeeting(stage, service, slot, {
      name: `${service.key}/${s}/${week}`,
      week,
      state,
      seats,
    })
  }
}

function addSlotMeeting(
  stage: Stage,
  service: ServiceSketch,
  slot: SlotSketch,
  meeting: Pick<Meeting, 'name' | 'state' | 'seats'> & { readonly week: number },
): void {
  const { week, ...rest } = meeting
  addMeeting(stage, {
    ...rest,
    title: service.title,
    of: { service_id: idAt(stage, 'service', service.key) },
    start: stage.clock.occurrence({ ...slot, timeZone: stage.school.timeZone }, week),
    minutes: slot.minutes,
  })
}

/** In these weeks no class takes place. */
const WITHOUT_CLASS: readonly number[] = [-6, -5, 2]

/** A class has no seats: the members of the group attend. */
function addClasses(stage: Stage): void {
  for (const group of stage.school.studyGroups) {
    const [first, last, every] = group.weeks
    for (let week = first; week <= last; week += every) {
      const start = stage.clock.occurrence({ ...group, timeZone: stage.school.timeZone }, week)
      if (WITHOUT_CLASS.includes(week)) {
        if (week > 0) tellGroup(stage, group, start)
        continue
      }
      addMeeting(stage, {
        name: `${group.key}/${week}`,
        title: group.name,
        of: { study_group_id: idAt(stage, 'study-group', group.key) },
        state: 'available',
        start,
        minutes: group.minutes,
        seats: [],
      })
    }
  }
}

/** The notification that members of a group get when a class is removed. */
function tellGroup(stage: Stage, group: StudyGroupSketch, start: Date): void {
  for (const member of group.members) {
    stage.rows.add('notifications', {
      school_id: stage.schoolId,
      id: idAt(stage, 'notification', `${group.key}/${member}`),
      user_id: personId(member),
      ...classRemoved(group.name, start, stage.school.timeZone),
      created_at: stage.clock.hours(-30),
      read_at: null,
    })
  }
}

/** A meeting that takes place now, to show one that has started and has an open room. */
function addOngoing(stage: Stage): void {
  const [service] = stage.school.services
  if (service === undefined) return
  addMeeting(stage, {
    name: `${service.key}/now`,
    title: `${service.title}, extra session`,
    of: { service_id: idAt(stage, 'service', service.key) },
    state: 'scheduled',
    start: stage.clock.hours(0),
    minutes: 180,
    seats: ['ada'],
  })
}

function addMeeting(stage: Stage, meeting: Meeting): void {
  const { school, schoolId, clock, rows } = stage
  const id = idAt(stage, 'meeting', meeting.name)
  const { start } = meeting
  const booked = new Date(Math.min(start.getTime() - WEEK, clock.hours(-6).getTime()))
  rows.add('consulting_meetings', {
    school_id: schoolId,
    id,
    ...meeting.of,
    title: meeting.title,
    state: meeting.state,
    starts_at: start,
    ends_at: new Date(start.getTime() + meeting.minutes * MINUTE),
    // Stored for every meeting; the API returns an empty string for one that is over or canceled.
    room_url: `https://rooms.${school.key}.test/${id.slice(0, 8)}`,
    created_at: booked,
  })
  for (const seat of meeting.seats) {
    const user_id = personId(seat)
    rows.add('meeting_seats', { school_id: schoolId, meeting_id: id, user_id, booked_at: booked })
  }
}

export function addServices(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, service] of school.services.entries()) {
    const service_id = idAt(stage, 'service', service.key)
    rows.add('consulting_services', {
      school_id: schoolId,
      id: service_id,
      title: service.title,
      description: service.description,
      host_id: personId(service.host),
      state: service.paused === true ? 'paused' : 'offered',
      created_at: clock.at(-400 + i),
    })
    for (const course of service.courses) {
      const course_id = courseId(stage, course)
      rows.add('consulting_service_courses', { school_id: schoolId, service_id, course_id })
    }
    for (const [s, slot] of service.slots.entries()) {
      rows.add('consulting_slots', {
        school_id: schoolId,
        id: idAt(stage, 'slot', `${service.key}/${s}`),
        service_id,
        weekday: slot.weekday,
        starts_at: `${slot.time}:00`,
        duration_minutes: slot.minutes,
        time_zone: school.timeZone,
        capacity: slot.capacity,
      })
    }
  }
}

export function addStudyGroups(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, group] of school.studyGroups.entries()) {
    const group_id = idAt(stage, 'study-group', group.key)
    rows.add('study_groups', {
      school_id: schoolId,
      id: group_id,
      name: group.name,
      course_id: courseId(stage, group.course),
      created_at: clock.at(-200 + i),
    })
    for (const member of group.members) {
      const joined_at = clock.at(-190)
      const user_id = personId(member)
      rows.add('study_group_members', { school_id: schoolId, group_id, user_id, joined_at })
    }
  }
}
