import { randomBytes } from 'node:crypto'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { TestPerson, TestSchool } from './world.ts'

export const DAY = 86_400_000
export const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY)
export const aSlug = (): string => `s${randomBytes(6).toString('hex')}`

export interface LectureSketch {
  readonly title?: string
  readonly seconds?: number
  readonly preview?: boolean
  readonly unlockAfterDays?: number
  readonly unlockAt?: Date
}

export interface TestCourse {
  readonly id: string
  readonly slug: string
  readonly title: string
  /** Ids of the lectures, section by section. */
  readonly lectures: readonly (readonly string[])[]
}

/** A published course with these sections and lectures. */
export async function aCourse(
  school: TestSchool,
  sections: readonly (readonly LectureSketch[])[] = [[{}]],
  options: { id?: string; title?: string } = {},
): Promise<TestCourse> {
  const course = { id: options.id ?? uuidv7(), slug: aSlug(), title: options.title ?? 'A course' }
  await school.db
    .insert('courses', { ...course, state: 'published', published_at: new Date(), currency: 'USD' })
    .execute()
  const lectures: string[][] = []
  for (const [position, sketches] of sections.entries()) {
    const sectionId = uuidv7()
    await school.db
      .insert('sections', {
        id: sectionId,
        course_id: course.id,
        position,
        title: `Section ${position}`,
      })
      .execute()
    const rows = sketches.map((sketch, place) => ({
      id: uuidv7(),
      course_id: course.id,
      section_id: sectionId,
      position: place,
      title: sketch.title ?? `Lecture ${position}.${place}`,
      duration_seconds: sketch.seconds ?? 60,
      is_preview: sketch.preview ?? false,
      unlock_after_days: sketch.unlockAfterDays ?? null,
      unlock_at: sketch.unlockAt ?? null,
    }))
    if (rows.length > 0) await school.db.insert('lectures', rows).execute()
    lectures.push(rows.map(({ id }) => id))
  }
  return { ...course, lectures }
}

export async function anEnrollment(
  school: TestSchool,
  person: TestPerson,
  course: TestCourse,
  options: {
    enrolledAt?: Date
    expiresAt?: Date
    revokedAt?: Date
    lastWatched?: { lectureId: string; seconds: number }
  } = {},
): Promise<string> {
  const id = uuidv7()
  await school.db
    .insert('enrollments', {
      id,
      course_id: course.id,
      user_id: person.id,
      source: 'grant',
      enrolled_at: options.enrolledAt ?? daysFromNow(-30),
      expires_at: options.expiresAt ?? null,
      revoked_at: options.revokedAt ?? null,
      last_lecture_id: options.lastWatched?.lectureId ?? null,
      last_position_seconds: options.lastWatched?.seconds ?? null,
    })
    .execute()
  return id
}

export async function someProgress(
  school: TestSchool,
  person: TestPerson,
  course: TestCourse,
  lectureId: string,
  state: 'read' | 'completed',
  position_seconds = 0,
): Promise<void> {
  await school.db
    .insert('lecture_progress', {
      user_id: person.id,
      course_id: course.id,
      lecture_id: lectureId,
      state,
      position_seconds,
      completed_at: state === 'completed' ? new Date() : null,
    })
    .execute()
}

export async function aProductOf(
  school: TestSchool,
  person: TestPerson,
  options: { grantedAt?: Date; revokedAt?: Date; title?: string } = {},
): Promise<{ readonly id: string; readonly slug: string }> {
  const product = { id: uuidv7(), slug: aSlug() }
  await school.db
    .insert('digital_products', {
      ...product,
      title: options.title ?? 'A product',
      state: 'published',
      currency: 'USD',
    })
    .execute()
  await school.db
    .insert('digital_product_accesses', {
      id: uuidv7(),
      product_id: product.id,
      user_id: person.id,
      granted_at: options.grantedAt ?? new Date(),
      revoked_at: options.revokedAt ?? null,
    })
    .execute()
  return product
}

export async function aRegistration(
  school: TestSchool,
  person: TestPerson,
  options: {
    state?: 'registered' | 'attended' | 'canceled'
    eventState?: 'draft' | 'published' | 'canceled'
  } = {},
): Promise<{ readonly id: string; readonly eventId: string }> {
  const eventId = uuidv7()
  const id = uuidv7()
  const state = options.state ?? 'registered'
  await school.db
    .insert('events', {
      id: eventId,
      slug: aSlug(),
      title: 'An event',
      state: options.eventState ?? 'published',
      starts_at: daysFromNow(3),
      ends_at: daysFromNow(4),
      currency: 'USD',
    })
    .execute()
  await school.db
    .insert('event_registrations', {
      id,
      event_id: eventId,
      user_id: person.id,
      state,
      canceled_at: state === 'canceled' ? new Date() : null,
    })
    .execute()
  return { id, eventId }
}
