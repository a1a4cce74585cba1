import createClient, { type Client } from 'openapi-fetch'
import { beforeAll, describe, expect, test } from 'vitest'
import { anOperator } from '../../support/admin-api.ts'
import { injected } from '../../support/injected-fetch.ts'
import { aToken, read } from '../../support/member-api.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'
import type { paths } from './openapi.generated.ts'

let world: World
let school: TestSchool
let client: Client<paths>

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  const { accessToken } = await anOperator(world, school)
  client = createClient<paths>({
    baseUrl: school.origin,
    headers: { authorization: `Bearer ${accessToken}` },
    fetch: injected(world),
  })
})

/** The data of the answer; a refusal fails the test with its text. */
async function done<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<NonNullable<T>> {
  const { data, error } = await call
  if (data === undefined || data === null) throw new Error(JSON.stringify(error))
  return data
}

describe('opening a school with a generated client', () => {
  test('an operator sets up courses, events and students, and the student sees it all', async () => {
    await done(client.PATCH('/api/v1/school', { body: { name: 'The Studio', currency: 'EUR' } }))
    const appearance = { primary_color: '#7c2d12', tagline: 'Paint!' }
    await done(client.PATCH('/api/v1/appearance', { body: appearance }))
    const course = await done(
      client.POST('/api/v1/courses', {
        body: { slug: 'watercolour', title: 'Watercolour', price_amount: 4900 },
      }),
    )
    expect(course.currency).toBe('EUR')
    const section = await done(
      client.POST('/api/v1/courses/{course_id}/sections', {
        params: { path: { course_id: course.id } },
        body: { title: 'Start' },
      }),
    )
    const inSection = { params: { path: { section_id: section.id } } }
    const first = await done(
      client.POST('/api/v1/sections/{section_id}/lectures', {
        ...inSection,
        body: { title: 'Paper', duration_seconds: 300 },
      }),
    )
    await done(
      client.POST('/api/v1/sections/{section_id}/lectures', {
        ...inSection,
        body: { title: 'Brushes', unlock_after_days: 7 },
      }),
    )
    await done(client.POST('/api/v1/courses/{id}/publish', { params: { path: { id: course.id } } }))
    await done(client.POST('/api/v1/coupons', { body: { code: 'OPENING', percent_off: 20 } }))

    const student = await world.aPerson()
    const { id: student_id } = await done(
      client.POST('/api/v1/students', { body: { email: student.email, name: 'Other Name' } }),
    )
    expect(student_id).toBe(student.id)
    await done(client.POST('/api/v1/enrollments', { body: { student_id, course_id: course.id } }))
    const event = await done(
      client.POST('/api/v1/events', {
        body: {
          slug: 'opening',
          title: 'Opening',
          starts_at: '2027-05-01T18:00:00Z',
          ends_at: '2027-05-01T20:00:00Z',
        },
      }),
    )
    await done(client.POST('/api/v1/events/{id}/publish', { params: { path: { id: event.id } } }))
    await done(
      client.POST('/api/v1/events/{event_id}/registrations', {
        params: { path: { event_id: event.id } },
        body: { member_id: student_id },
      }),
    )

    const token = await aToken(world, school, student)
    const { viewer } = await read<{ viewer: Record<string, unknown> }>(
      world,
      school,
      token,
      `{ viewer { name
          enrolledCourses { nodes { slug hasLifetimeAccess
            sections { title lectures { id title duration isLocked state } } } }
          eventRegistrations { nodes { event { title } } } } }`,
    )
    expect(viewer).toMatchObject({
      name: student.name,
      enrolledCourses: {
        nodes: [
          {
            slug: 'watercolour',
            hasLifetimeAccess: true,
            sections: [
              {
                title: 'Start',
                lectures: [
                  { id: first.id, title: 'Paper', duration: 300, isLocked: false, state: 'unread' },
                  { title: 'Brushes', isLocked: true },
                ],
              },
            ],
          },
        ],
      },
      eventRegistrations: { nodes: [{ event: { title: 'Opening' } }] },
    })
  })
})
