import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool
let operator: OperatorClient

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  operator = await anOperator(world, school)
})

let serial = 0
async function aCourse(details: Record<string, unknown> = {}) {
  serial += 1
  const answer = await operator.post('/courses', {
    slug: `course-${serial}`,
    title: `Course ${serial}`,
    ...details,
  })
  expect(answer.statusCode).toBe(201)
  return answer.json()
}

describe('objects', () => {
  verifies(
    ['admin-api.rfc3339', 'admin-api.money'],
    'a created course has its URL, RFC 3339 times and minor units with a currency',
    async () => {
      const answer = await operator.post('/courses', {
        slug: 'money',
        title: 'Money',
        price_amount: 4900,
        currency: 'JPY',
      })
      expect(answer.statusCode).toBe(201)
      const course = answer.json()
      expect(course).toMatchObject({
        object: 'course',
        state: 'draft',
        price_amount: 4900,
        currency: 'JPY',
        published_at: null,
        version: 1,
      })
      expect(course.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(answer.headers.location).toBe(`${school.origin}/api/v1/courses/${course.id}`)
      const read = await operator.get(`/courses/${course.id}`)
      expect(read.json()).toEqual(course)
    },
  )

  test('a time with any offset of RFC 3339 is taken, and answered in UTC', async () => {
    const given = { slug: 'far', title: 'Far', starts_at: '2027-02-01T18:00:00.1239+18:00' }
    const made = await operator.post('/events', { ...given, ends_at: '2027-02-01T18:00:00-23:59' })
    expect(made.statusCode).toBe(201)
    const { id, starts_at, ends_at } = made.json()
    expect({ starts_at, ends_at }).toEqual({
      starts_at: '2027-02-01T00:00:00.123Z',
      ends_at: '2027-02-02T17:59:00.000Z',
    })
    const body = { starts_at: '2027-02-01T20:00:00+18:00' }
    const changed = await operator.send('PATCH', `/events/${id}`, { body })
    expect(changed.json()).toMatchObject({ starts_at: '2027-02-01T02:00:00.000Z' })
    const row = JSON.stringify({ ...given, slug: 'farther', ends_at: '2027-02-02T09:00:00+23:59' })
    const headers = { 'content-type': 'application/x-ndjson' }
    const imported = await operator.send('POST', '/events/import', { body: row, headers })
    expect(imported.json()).toMatchObject({ created: 1, failed: 0 })
  })

  test('a price without a currency is in the currency of the school', async () => {
    expect((await aCourse()).currency).toBe('USD')
  })

  test('PATCH changes the given fields, sets null where it is allowed, and keeps the others', async () => {
    const course = await aCourse({ summary: 'Before' })
    const answer = await operator.send('PATCH', `/courses/${course.id}`, {
      body: { summary: 'After', cover_file_id: null },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ title: course.title, summary: 'After', version: 2 })
  })

  test('publishing and archiving change the state, and repeating them is not an error', async () => {
    const course = await aCourse()
    const published = (await operator.post(`/courses/${course.id}/publish`)).json()
    expect(published).toMatchObject({ state: 'published', archived_at: null })
    const again = (await operator.post(`/courses/${course.id}/publish`)).json()
    expect(again.published_at).toBe(published.published_at)
    expect((await operator.post(`/courses/${course.id}/archive`)).json()).toMatchObject({
      state: 'archived',
      published_at: published.published_at,
    })
  })

  test('a removed course is not found, and the answer names it', async () => {
    const course = await aCourse()
    const answer = await operator.send('DELETE', `/courses/${course.id}`)
    expect(answer.json()).toEqual({ object: 'course', id: course.id, deleted: true })
    expect((await operator.get(`/courses/${course.id}`)).statusCode).toBe(404)
  })

  test('a write has an audit entry with operation, app and person', async () => {
    const course = await aCourse()
    const entries = await school.db
      .from('audit_entries')
      .select(['action', 'actor_user_id', 'client_id', 'detail'])
      .where('subject', '=', course.id)
      .execute()
    expect(entries).toMatchObject([
      {
        action: 'operation.done',
        actor_user_id: operator.person.id,
        client_id: 'claude',
        detail: { operation: 'courses.create', via: 'admin_api' },
      },
    ])
  })
})

describe('lists', () => {
  verifies(
    'admin-api.pages',
    'the pages of a list have each object once, in either order',
    async () => {
      const elsewhere = await world.aSchool()
      const other = await anOperator(world, elsewhere)
      const slugs = Array.from({ length: 7 }, (_, place) => `walk-${place}`)
      for (const slug of slugs) await other.post('/courses', { slug, title: 'The same' })
      for (const sort of ['created_at', '-created_at', 'title', '-title', 'price_amount']) {
        const seen: string[] = []
        let path = `/courses?limit=3&sort=${sort}`
        for (let pages = 0; pages < 5; pages++) {
          const answer = await other.get(path)
          const page = answer.json()
          seen.push(...page.data.map((course: { slug: string }) => course.slug))
          expect(page.has_more).toBe(page.next !== null)
          if (page.next === null) break
          const link = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link))?.[1] ?? ''
          expect(link.startsWith(`${elsewhere.origin}/api/v1/courses?`)).toBe(true)
          path = link.slice(`${elsewhere.origin}/api/v1`.length)
        }
        expect([...seen].sort()).toEqual(slugs)
      }
    },
  )

  test('new rows do not shift the next page', async () => {
    const elsewhere = await world.aSchool()
    const other = await anOperator(world, elsewhere)
    for (const slug of ['one', 'two', 'three']) await other.post('/courses', { slug, title: slug })
    const first = (await other.get('/courses?limit=2')).json()
    await other.post('/courses', { slug: 'four', title: 'four' })
    const second = (await other.get(`/courses?limit=2&after=${first.next}`)).json()
    expect(second.data.map((course: { slug: string }) => course.slug)).toEqual(['one'])
  })

  test('filters narrow a list, and the total counts the matches', async () => {
    const elsewhere = await world.aSchool()
    const other = await anOperator(world, elsewhere)
    const made = (await other.post('/courses', { slug: 'shown', title: 'Shown' })).json()
    await other.post('/courses', { slug: 'hidden', title: 'Hidden' })
    await other.post(`/courses/${made.id}/publish`)
    const page = (await other.get('/courses?state=published&include_total=true&limit=1')).json()
    expect(page).toMatchObject({ data: [{ slug: 'shown' }], has_more: false, total: 1 })
  })

  test('a cursor of another order or list, and a made-up one, are refused', async () => {
    await aCourse()
    await aCourse()
    const page = (await operator.get('/courses?limit=1&sort=title')).json()
    const pages = ['one', 'two'].map((slug) => operator.post('/pages', { slug, title: slug }))
    await Promise.all(pages)
    const { next } = (await operator.get('/pages?limit=1')).json()
    expect(next).toEqual(expect.any(String))
    for (const after of [page.next, next, 'nonsense', Buffer.from('[1]').toString('base64url')]) {
      const answer = await operator.get(`/courses?after=${after}`)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().errors).toMatchObject([{ parameter: 'after', code: 'invalid_cursor' }])
    }
  })

  test('wrong, unknown and repeated parameters are refused with their names', async () => {
    const refusals = {
      'limit=0': { parameter: 'limit' },
      'limit=101': { parameter: 'limit' },
      'limit=many': { parameter: 'limit', code: 'wrong_type' },
      'colour=red': { parameter: 'colour', code: 'unknown_parameter' },
      'limit=1&limit=2': { parameter: 'limit', code: 'repeated_parameter' },
      'created_after=yesterday': { parameter: 'created_after' },
    }
    for (const [query, problem] of Object.entries(refusals)) {
      const answer = await operator.get(`/courses?${query}`)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().errors).toMatchObject([problem])
    }
  })
})

describe('problems', () => {
  verifies('admin-api.problems', 'an input is refused field by field, with pointers', async () => {
    const answer = await operator.post('/courses', {
      slug: 'Not a slug',
      price_amount: '12',
      nonsense: true,
    })
    expect(answer.statusCode).toBe(422)
    expect(answer.headers['content-type']).toContain('application/problem+json')
    const problem = answer.json()
    expect(problem).toMatchObject({
      type: `${school.origin}/docs/errors#invalid_input`,
      status: 422,
      instance: '/api/v1/courses',
      request_id: answer.headers['x-request-id'],
    })
    expect(problem.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ pointer: '/slug' }),
        expect.objectContaining({ pointer: '/title', code: 'required' }),
        expect.objectContaining({ pointer: '/price_amount', code: 'wrong_type' }),
        expect.objectContaining({ pointer: '/nonsense', code: 'unknown_field' }),
      ]),
    )
  })

  test('a slug that is taken is 409 with its pointer, and reveals nothing of the other course', async () => {
    const course = await aCourse()
    const answer = await operator.post('/courses', { slug: course.slug, title: 'Again' })
    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({ reason: 'taken', errors: [{ pointer: '/slug' }] })
    expect(answer.body).not.toContain(course.id)
  })

  test('a reference to an unknown object is refused with its field', async () => {
    const answer = await operator.post('/courses', {
      slug: 'no-cover',
      title: 'No cover',
      cover_file_id: '01981c5e-7c00-7000-8000-000000000009',
    })
    expect(answer.statusCode).toBe(422)
    expect(answer.json().errors).toMatchObject([
      { pointer: '/cover_file_id', code: 'unknown_reference' },
    ])
  })

  test('bodies that are not JSON objects are refused with the right status', async () => {
    const send = (payload: string, type: string) =>
      operator.send('POST', '/courses', { body: payload, headers: { 'content-type': type } })
    expect((await send('{', 'application/json')).statusCode).toBe(400)
    expect((await send('[]', 'application/json')).statusCode).toBe(422)
    expect((await send('"text"', 'application/json')).statusCode).toBe(422)
    expect((await send('a=b', 'application/x-www-form-urlencoded')).statusCode).toBe(415)
    expect((await send('{"__proto__":{}}', 'application/json')).statusCode).toBe(400)
    const huge = JSON.stringify({ slug: 'x', title: 'x'.repeat(1_100_000) })
    expect((await send(huge, 'application/json')).statusCode).toBe(413)
  })

  test('another method is 405 with Allow, an unknown path 404, both as problems', async () => {
    const other = await operator.send('PUT', '/courses')
    expect(other.statusCode).toBe(405)
    expect(other.headers.allow).toBe('GET, POST')
    for (const path of ['/nonsense', '/']) {
      const unknown = await operator.get(path)
      expect(unknown.statusCode).toBe(404)
      expect(unknown.headers['content-type']).toContain('application/problem+json')
      expect(unknown.headers.ratelimit).toBeDefined()
    }
  })

  test('the root says without a token where the API is described, and takes no other method', async () => {
    const headers = { host: new URL(operator.school.origin).host }
    const root = await world.app.inject({ url: '/api/v1', headers })
    expect([root.statusCode, root.headers['access-control-allow-origin']]).toEqual([200, '*'])
    for (const address of Object.values<string>(root.json())) {
      const url = address.replace(operator.school.origin, '')
      expect([address, (await world.app.inject({ url, headers })).statusCode]).toEqual([
        address,
        200,
      ])
    }
    const other = await operator.send('POST', '')
    expect([other.statusCode, other.headers.allow]).toEqual([405, 'GET'])
  })
})
