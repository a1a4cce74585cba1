import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { TestCourse } from './learning.ts'
import type { TestPerson, TestSchool } from './world.ts'

const HOUR = 3_600_000
export const hoursFromNow = (hours: number): Date => new Date(Date.now() + hours * HOUR)

/** A service for the students of these courses, with one slot a week. */
export async function aService(
  school: TestSchool,
  courses: readonly TestCourse[],
  options: {
    title?: string
    paused?: boolean
    host?: TestPerson
    /** Members change their bookings until so many hours before the start. */
    changesUntil?: number
    seats?: number
  } = {},
): Promise<string> {
  const id = uuidv7()
  await school.db
    .insert('consulting_services', {
      id,
      title: options.title ?? 'Office hour',
      state: options.paused ? 'paused' : 'offered',
      host_id: options.host?.id ?? null,
      changes_until_hours: options.changesUntil ?? null,
    })
    .execute()
  for (const course of courses) {
    await school.db
      .insert('consulting_service_courses', { service_id: id, course_id: course.id })
      .execute()
  }
  await school.db
    .insert('consulting_slots', {
      id: uuidv7(),
      service_id: id,
      weekday: 3,
      starts_at: '09:30:00',
      duration_minutes: 45,
      time_zone: 'Asia/Taipei',
      capacity: options.seats ?? 4,
    })
    .execute()
  return id
}

export async function aStudyGroup(
  school: TestSchool,
  members: readonly TestPerson[],
): Promise<string> {
  const id = uuidv7()
  await school.db.insert('study_groups', { id, name: 'A group' }).execute()
  for (const member of members) {
    await school.db.insert('study_group_members', { group_id: id, user_id: member.id }).execute()
  }
  return id
}

export interface MeetingSketch {
  readonly service?: string
  readonly group?: string
  readonly start?: Date
  readonly hours?: number
  readonly state?: 'available' | 'scheduled' | 'canceled'
  readonly seats?: readonly TestPerson[]
  readonly title?: string
}

export async function aMeeting(school: TestSchool, sketch: MeetingSketch): Promise<string> {
  const id = uuidv7()
  const start = sketch.start ?? hoursFromNow(24)
  await school.db
    .insert('consulting_meetings', {
      id,
      service_id: sketch.service ?? null,
      study_group_id: sketch.group ?? null,
      title: sketch.title ?? 'A meeting',
      state: sketch.state ?? 'available',
      starts_at: start,
      ends_at: new Date(start.getTime() + (sketch.hours ?? 1) * HOUR),
      room_url: `https://rooms.test/${id}`,
    })
    .execute()
  for (const seat of sketch.seats ?? []) {
    await school.db.insert('meeting_seats', { meeting_id: id, user_id: seat.id }).execute()
  }
  return id
}
