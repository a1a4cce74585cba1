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
  operator = await anOperator(world, school, { scopes: 'courses:read courses:write' })
})

const countCourses = async (slug: string): Promise<number> =>
  (await operator.get(`/courses?slug=${slug}&include_total=true`)).json().total

describe('Idempotency-Key', () => {
  verifies(
    'admin-api.idempotency-key',
    'a repeated write happens once and gets the first answer, marked as a replay',
    async () => {
      const headers = { 'idempotency-key': 'once' }
      const body = { slug: 'once', title: 'Once' }
      const first = await operator.post('/courses', body, headers)
      expect(first.headers['idempotent-replayed']).toBeUndefined()
      const second = await operator.post('/courses', body, headers)
      expect(second.statusCode).toBe(201)
      expect(second.body).toBe(first.body)
      expect(second.headers.location).toBe(first.headers.location)
      expect(second.headers.etag).toBe(first.headers.etag)
      expect(second.headers['idempotent-replayed']).toBe('true')
      expect(await countCourses('once')).toBe(1)
    },
  )

  test('the same key with another body is refused', async () => {
    const headers = { 'idempotency-key': 'mismatch' }
    await operator.post('/courses', { slug: 'mismatch', title: 'One' }, headers)
    const answer = await operator.post('/courses', { slug: 'mismatch-two', title: 'Two' }, headers)
    expect(answer.statusCode).toBe(422)
    expect(answer.json().code).toBe('idempotency_mismatch')
    expect(await countCourses('mismatch-two')).toBe(0)
  })

  test('the same body with its members in another order is the same write', async () => {
    const headers = { 'idempotency-key': 'order' }
    const first = await operator.post('/courses', { slug: 'order', title: 'One' }, headers)
    const second = await operator.post('/courses', { title: 'One', slug: 'order' }, headers)
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(second.json().id).toBe(first.json().id)
  })

  test('of many at once one writes; the others get its answer or "try again"', async () => {
    const headers = { 'idempotency-key': 'race' }
    const body = { slug: 'race', title: 'Race' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => operator.post('/courses', body, headers)),
    )
    const statuses = answers.map((answer) => answer.statusCode)
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([])
    expect(statuses).toContain(201)
    expect(await countCourses('race')).toBe(1)
    for (const answer of answers.filter(({ statusCode }) => statusCode === 409)) {
      expect(answer.json().code).toBe('idempotency_in_progress')
      expect(answer.headers['retry-after']).toBe('1')
    }
  })

  test('after a refused write the key is free for the corrected one', async () => {
    const headers = { 'idempotency-key': 'corrected' }
    expect((await operator.post('/courses', { slug: 'corrected' }, headers)).statusCode).toBe(422)
    const answer = await operator.post(
      '/courses',
      { slug: 'corrected', title: 'Corrected' },
      headers,
    )
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })

  test('the same key of another app is another key', async () => {
    const headers = { 'idempotency-key': 'shared-name' }
    const other = await anOperator(world, school, { scopes: 'courses:write' })
    await operator.post('/courses', { slug: 'app-one', title: 'One' }, headers)
    const answer = await other.post('/courses', { slug: 'app-two', title: 'Two' }, headers)
    expect(answer.statusCode).toBe(201)
  })

  test('an answer older than a day is not replayed', async () => {
    const headers = { 'idempotency-key': 'aged' }
    const made = await operator.post('/courses', { slug: 'aged', title: 'Aged' }, headers)
    await school.db
      .update('idempotent_answers')
      .set({ answered_at: new Date(Date.now() - 25 * 3600 * 1000) })
      .execute()
    const again = await operator.post('/courses', { slug: 'aged', title: 'Aged' }, headers)
    expect(made.statusCode).toBe(201)
    expect(again.statusCode).toBe(409)
  })

  test('a key that is empty, too long or not ASCII is refused', async () => {
    for (const key of [' ', 'x'.repeat(256)]) {
      const answer = await operator.post('/courses', {}, { 'idempotency-key': key })
      expect(answer.statusCode).toBe(400)
    }
  })
})

describe('ETag', () => {
  verifies(
    'admin-api.etag',
    'a write with an outdated ETag is 412 and changes nothing',
    async () => {
      const made = await operator.post('/courses', { slug: 'tagged', title: 'Tagged' })
      const path = `/courses/${made.json().id}`
      const etag = String(made.headers.etag)
      const changed = await operator.patch(path, { title: 'Changed' }, { 'if-match': etag })
      expect(changed.statusCode).toBe(200)
      const stale = await operator.patch(path, { title: 'Stale' }, { 'if-match': etag })
      expect(stale.statusCode).toBe(412)
      expect(stale.json()).toMatchObject({ code: 'stale_version', version: 2 })
      for (const tag of [`W/${changed.headers.etag}`, '"foreign"', '2']) {
        const answer = await operator.patch(path, { title: 'No' }, { 'if-match': tag })
        expect(answer.statusCode).toBe(412)
      }
      expect((await operator.get(path)).json()).toMatchObject({ title: 'Changed', version: 2 })
      const any = await operator.patch(path, { title: 'Any' }, { 'if-match': '*' })
      expect(any.statusCode).toBe(200)
    },
  )

  test('an old version is told before a rule that the change would break', async () => {
    const organizer = await anOperator(world, school, { scopes: 'events:read events:write' })
    const event = await organizer.post('/events', {
      slug: 'twice-changed',
      title: 'Twice changed',
      starts_at: '2099-01-02T09:00:00Z',
      ends_at: '2099-01-02T10:00:00Z',
    })
    const path = `/events/${event.json().id}`
    const headers = { 'if-match': String(event.headers.etag) }
    expect((await organizer.patch(path, { title: 'Changed' }, headers)).statusCode).toBe(200)
    const backwards = { ends_at: '2099-01-01T09:00:00Z' }
    expect((await organizer.patch(path, backwards, headers)).statusCode).toBe(412)
    expect((await organizer.patch(path, backwards)).statusCode).toBe(422)
  })

  test('of two writes with the same version one succeeds', async () => {
    const made = await operator.post('/courses', { slug: 'raced', title: 'Raced' })
    const path = `/courses/${made.json().id}`
    const headers = { 'if-match': String(made.headers.etag) }
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((title) => operator.patch(path, { title }, headers)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412])
  })

  test('a read with a matching ETag gets 304 without a body', async () => {
    const made = await operator.post('/courses', { slug: 'cached', title: 'Cached' })
    const path = `/courses/${made.json().id}`
    const etag = String((await operator.get(path)).headers.etag)
    const again = await operator.get(path, { 'if-none-match': etag })
    expect(again.statusCode).toBe(304)
    expect(again.body).toBe('')
    await operator.patch(path, { title: 'New' })
    expect((await operator.get(path, { 'if-none-match': etag })).statusCode).toBe(200)
  })
})
