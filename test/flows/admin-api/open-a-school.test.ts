import { beforeAll, describe, expect, test } from 'vitest'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { aToken, read } from '../../support/member-api.ts'
import { aWorld, type TestSchool, type World } from '../../support/world.ts'

/** A program that knows nothing but the description: it finds each call by its operationId. */
class DescribedClient {
  readonly #operator: OperatorClient
  readonly #calls = new Map<string, { method: string; path: string }>()

  constructor(operator: OperatorClient, document: { paths: Record<string, object> }) {
    this.#operator = operator
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        this.#calls.set(operationId, { method: method.toUpperCase(), path })
      }
    }
  }

  async call(operationId: string, inAddress: Record<string, string> = {}, body?: unknown) {
    const call = this.#calls.get(operationId)
    if (call === undefined) throw new Error(`${operationId} is not described`)
    const path = call.path
      .replace('/api/v1', '')
      .replace(/\{(\w+)\}/g, (_match, name) => inAddress[name] ?? '')
    const answer = await this.#operator.send(call.method, path, { body })
    if (answer.statusCode >= 300) throw new Error(`${operationId}: ${answer.body}`)
    return answer.json()
  }
}

let world: World
let school: TestSchool
let client: DescribedClient

beforeAll(async () => {
  world = await aWorld()
  school = await world.aSchool()
  const headers = { host: new URL(school.origin).host }
  const document = (await world.app.inject({ url: '/openapi.json', headers })).json()
  client = new DescribedClient(await anOperator(world, school), document)
})

describe('opening a school by its API alone', () => {
  test('an operator sets up courses, events and students, and the student sees it all', async () => {
    await client.call('schoolChange', {}, { name: 'The Studio', currency: 'EUR' })
    await client.call('appearanceChange', {}, { primary_color: '#7c2d12', tagline: 'Paint!' })
    const course = await client.call(
      'coursesCreate',
      {},
      {
        slug: 'watercolour',
        title: 'Watercolour',
        price_amount: 4900,
      },
    )
    expect(course.currency).toBe('EUR')
    const section = await client.call(
      'sectionsCreate',
      { course_id: course.id },
      { title: 'Start' },
    )
    const inSection = { section_id: section.id }
    const first = await client.call('lecturesCreate', inSection, {
      title: 'Paper',
      duration_seconds: 300,
    })
    await client.call('lecturesCreate', inSection, { title: 'Brushes', unlock_after_days: 7 })
    await client.call('coursesPublish', { id: course.id })
    await client.call('couponsCreate', {}, { code: 'OPENING', percent_off: 20 })

    const student = await world.aPerson()
    const { id: student_id } = await client.call(
      'studentsCreate',
      {},
      {
        email: student.email,
        name: 'Whoever',
      },
    )
    expect(student_id).toBe(student.id)
    await client.call('enrollmentsCreate', {}, { student_id, course_id: course.id })
    const event = await client.call(
      'eventsCreate',
      {},
      {
        slug: 'opening',
        title: 'Opening',
        starts_at: '2027-05-01T18:00:00Z',
        ends_at: '2027-05-01T20:00:00Z',
      },
    )
    await client.call('eventsPublish', { id: event.id })
    await client.call('eventsRegister', { event_id: event.id }, { member_id: student_id })

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
