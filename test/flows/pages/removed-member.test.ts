import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { anOperator } from '../../support/admin-api.ts'
import { aPayment } from '../../support/billing.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, aProductOf, aRegistration, aSlug } from '../../support/learning.ts'
import { signedIn } from '../../support/operator-like.ts'
import { aWorld, type TestPerson } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const world = await aWorld({ files: createDiskStore(folder) })
const school = await world.aSchool()
const operator = await anOperator(world, school)
const SECRET = 'what only members read'
const ROOM = 'https://room.example/secret'

afterAll(() => rm(folder, { recursive: true, force: true }))

async function aFile(): Promise<string> {
  const uploaded = await operator.send('POST', '/files?name=notes.txt', {
    body: SECRET,
    headers: { 'content-type': 'text/plain' },
  })
  return uploaded.json().id
}

async function aVisitor(): Promise<{ ada: TestPerson; visitor: Visitor }> {
  const ada = await world.aMember(school)
  return { ada, visitor: await signedIn(world, school, ada) }
}

async function remove({ id }: TestPerson): Promise<void> {
  const answer = await operator.send('DELETE', `/members/${id}`)
  expect(answer.statusCode, answer.body).toBeLessThan(300)
}

async function post(visitor: Visitor, path: string, fields: Record<string, string>) {
  const token = hiddenFields((await visitor.get('/')).body, '/sign-out')
  return await visitor.post(path, { ...token, ...fields })
}

describe('attacks: a person who was removed from the school, and whose browser is still signed in,', () => {
  test('reads the text of a lecture, downloads its file and marks it', async () => {
    const course = await aCourse(school, [[{}, {}]])
    const [text = '', file = ''] = course.lectures.flat()
    const path = `/courses/${course.slug}/lectures`
    await operator.patch(`/lectures/${text}`, { body: SECRET })
    await operator.patch(`/lectures/${file}`, { kind: 'file', file_id: await aFile() })
    const { ada, visitor } = await aVisitor()
    await anEnrollment(school, ada, course)
    expect((await visitor.get(`${path}/${text}`)).body).toContain(SECRET)
    expect((await visitor.get(`${path}/${file}/file`)).body).toBe(SECRET)

    await remove(ada)
    for (const place of [`${path}/${text}`, `${path}/${file}/file`]) {
      const answer = await visitor.get(place)
      expect(answer.statusCode, place).toBe(403)
      expect(answer.body).not.toContain(SECRET)
    }
    const marked = await post(visitor, `${path}/${text}`, { state: 'completed' })
    expect(marked.statusCode).toBe(403)
    const rows = await school.db
      .from('lecture_progress')
      .select('state')
      .where('user_id', '=', ada.id)
      .execute()
    expect(rows.map(({ state }) => state)).not.toContain('completed')
  })

  test('reads a course that is for its students alone', async () => {
    const course = await aCourse(school, [[{}]])
    const { ada, visitor } = await aVisitor()
    await anEnrollment(school, ada, course)
    await operator.post(`/courses/${course.id}/archive`)
    expect((await visitor.get(`/courses/${course.slug}`)).statusCode).toBe(200)
    await remove(ada)
    expect((await visitor.get(`/courses/${course.slug}`)).statusCode).toBe(404)
  })

  test('downloads a product', async () => {
    const { ada, visitor } = await aVisitor()
    const { id, slug } = await aProductOf(school, ada)
    await operator.patch(`/digital-products/${id}`, { file_id: await aFile() })
    expect((await visitor.get(`/products/${slug}/file`)).body).toBe(SECRET)
    await remove(ada)
    expect((await visitor.get(`/products/${slug}`)).body).not.toContain('/file"')
    const answer = await visitor.get(`/products/${slug}/file`)
    expect(answer.statusCode).toBe(403)
    expect(answer.body).not.toContain(SECRET)
  })

  test('enters the room of an event, gives the place back, or takes another', async () => {
    const { ada, visitor } = await aVisitor()
    const { eventId } = await aRegistration(school, ada)
    const slug = aSlug()
    const shown = { slug, online_url: ROOM }
    await school.db.update('events').set(shown).where('id', '=', eventId).execute()
    const path = `/events/${slug}`
    expect((await visitor.get(path)).body).toContain(ROOM)
    await remove(ada)
    expect((await visitor.get(path)).body).not.toContain(ROOM)
    for (const registration of ['cancel', 'register']) {
      const answer = await post(visitor, path, { registration })
      expect(answer.headers.location).toBe(`${path}?done=refused`)
    }
    const rows = await school.db
      .from('event_registrations')
      .select('state')
      .where('user_id', '=', ada.id)
      .execute()
    expect(rows).toEqual([{ state: 'registered' }])
  })

  test('reads the lists of the account, or marks its messages', async () => {
    const { ada, visitor } = await aVisitor()
    await aPayment(school, ada, { lines: [{ title: 'A course', amount: 1 }] })
    const [payment] = await school.db
      .from('payments')
      .select('id')
      .where('user_id', '=', ada.id)
      .execute()
    const lists = ['courses', 'bookings', 'payments', 'inbox', 'events', 'downloads']
    const paths = [...lists, `payments/${payment?.id}`].map((list) => `/account/${list}`)
    for (const path of paths) expect((await visitor.get(path)).statusCode, path).toBe(200)
    await remove(ada)
    for (const path of paths) {
      const { statusCode, headers } = await visitor.get(path)
      expect([statusCode, headers.location], path).toEqual([303, '/account'])
    }
    const answer = await post(visitor, '/account/inbox/read-all', {})
    expect(answer.headers.location).toBe('/account')
    expect((await visitor.get('/account')).body).toContain('You are not a member of')
  })
})
