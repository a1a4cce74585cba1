import { describe, expect, test } from 'vitest'
import { cancelMeeting } from '../../src/domain/consulting/meeting-operations.ts'
import { addAttendee, removeAttendee } from '../../src/domain/consulting/seat-operations.ts'
import { cancelEvent, changeEvent } from '../../src/domain/events/event-operations.ts'
import {
  changeRegistration,
  createRegistration,
} from '../../src/domain/events/registration-operations.ts'
import { createEnrollment } from '../../src/domain/learning/enrollment-operations.ts'
import { inboxOf } from '../../src/domain/notifications/inbox.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { aCourse } from '../support/learning.ts'
import { Performer } from '../support/performing.ts'
import { sharedWorld, type TestPerson } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const staff = new Performer(school, await world.aMember(school, ['owner']))

/** What the member was told, newest first. */
async function told({ id }: TestPerson): Promise<string[]> {
  const entries = await inboxOf(school.db, id, { limit: 20, fromEnd: false })
  return entries.map(({ title, body }) => `${title}: ${body}`)
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

async function anEvent(days: number): Promise<string> {
  const id = uuidv7()
  await school.db
    .insert('events', {
      ...{ id, slug: `e-${id}`, title: 'Open studio', state: 'published', currency: 'USD' },
      ...{ starts_at: inDays(days), ends_at: inDays(days + 0.1) },
    })
    .execute()
  return id
}

async function aMeeting(days: number): Promise<string> {
  const [id, service_id] = [uuidv7(), uuidv7()]
  await school.db.insert('consulting_services', { id: service_id, title: 'Advice' }).execute()
  await school.db
    .insert('consulting_meetings', {
      ...{ id, service_id, title: 'Advice', starts_at: inDays(days), ends_at: inDays(days + 0.1) },
    })
    .execute()
  return id
}

describe('a member is told', () => {
  test('that a course is open to them, once', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school)
    const input = { student_id: ada.id, course_id: course.id, expires_at: '2098-01-01T00:00:00Z' }
    await staff.does(createEnrollment, input)
    expect(await staff.isRefused(createEnrollment, input)).toBe('already_enrolled')
    expect(await told(ada)).toEqual([
      expect.stringMatching(/^You are enrolled in a course: .* is open to you until .*2098/),
    ])
  })

  test('of an event: registered, moved, canceled; and not who is no longer registered', async () => {
    const [ada, gone] = [await world.aMember(school), await world.aMember(school)]
    const event = await anEvent(3)
    await staff.does(createRegistration, { event_id: event, member_id: ada.id })
    const { id } = await staff.does(createRegistration, { event_id: event, member_id: gone.id })
    await staff.does(changeRegistration, { id, state: 'canceled' })
    const times = { starts_at: inDays(5).toISOString(), ends_at: inDays(6).toISOString() }
    await staff.does(changeEvent, { id: event, ...times })
    await staff.does(changeEvent, { id: event, ...times, location: 'Room 2' })
    await staff.does(cancelEvent, { id: event })
    expect(await told(ada)).toEqual([
      expect.stringMatching(/^An event was canceled: Open studio, .* does not take place\.$/),
      expect.stringMatching(
        /^An event was moved: Open studio now begins on .* still registered\.$/,
      ),
      expect.stringMatching(/^You are registered for an event: Open studio begins on /),
    ])
    expect(await told(gone)).toHaveLength(1)
  })

  test('nothing of an event that is over, and nothing twice', async () => {
    const ada = await world.aMember(school)
    const event = await anEvent(-3)
    await school.db
      .insert('event_registrations', { id: uuidv7(), event_id: event, user_id: ada.id })
      .execute()
    await staff.does(cancelEvent, { id: event })
    await staff.does(cancelEvent, { id: event })
    expect(await told(ada)).toEqual([])
  })

  test('of a meeting: booked, taken back, canceled; and nothing of one that is over', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const [meeting, past] = [await aMeeting(2), await aMeeting(-2)]
    for (const member of [ada, ben]) {
      await staff.does(addAttendee, { id: meeting, member_id: member.id })
      await staff.does(addAttendee, { id: past, member_id: member.id })
    }
    await staff.does(removeAttendee, { id: meeting, member_id: ben.id })
    for (const id of [meeting, past, meeting]) await staff.does(cancelMeeting, { id })
    expect(await told(ada)).toEqual([
      expect.stringMatching(/^A meeting was canceled: Advice, /),
      expect.stringMatching(/^A meeting is booked for you: Advice begins on /),
    ])
    expect(await told(ben)).toEqual([
      expect.stringMatching(/^Your seat in a meeting was taken back: Advice, /),
      expect.stringMatching(/^A meeting is booked for you: /),
    ])
  })
})
