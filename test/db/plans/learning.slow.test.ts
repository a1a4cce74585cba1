import { expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { PUBLIC_LISTS } from '../../../src/surfaces/pages/frame/public-lists.ts'
import { anOperator } from '../../support/admin-api.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, aProductOf, aSlug, daysFromNow } from '../../support/learning.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const answered: AnsweredRequest[] = []

/** Counts the statements of `work` and checks that none reads a whole table. */
async function checkPlans(work: () => Promise<void>): Promise<void> {
  const requests = await costs.of(work)
  answered.push(...requests)
  const statements = requests.flatMap((request) => request.statements)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
}

test('opening and completing a lecture reads no whole table', async () => {
  const ada = await world.aMember(school)
  const course = await aCourse(school, [[{}, {}]])
  await anEnrollment(school, ada, course)
  const [lecture = EXAMPLE.lecture] = course.lectures[0] ?? []
  const path = `/courses/${course.slug}/lectures/${lecture}`
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    expect((await visitor.get(`/courses/${course.slug}`)).statusCode).toBe(200)
    expect((await visitor.get(path)).statusCode).toBe(200)
    const { form_token = '' } = hiddenFields((await visitor.get(path)).body, path)
    const watched = { form_token, position_seconds: '20' }
    expect((await visitor.post(`${path}/position`, watched)).statusCode).toBe(204)
    const marked = await submit(visitor, path, path, { state: 'completed' })
    expect(marked.statusCode).toBe(303)
  })
})

test('reading, writing, hiding and taking back comments reads no whole table', async () => {
  const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
  const teacher = await world.aMember(school, ['lecturer'])
  const course = await aCourse(school, [[{}]])
  for (const person of [ada, ben]) await anEnrollment(school, person, course)
  await school.db.insert('lecturers', { user_id: teacher.id }).execute()
  const place = { course_id: course.id, user_id: teacher.id, position: 0 }
  await school.db.insert('course_lecturers', place).execute()
  const path = `/courses/${course.slug}/lectures/${course.lectures[0]?.[0]}`
  const to = `${path}/comments`
  const [asks, answers, teaches] = [
    await signedIn(world, school, ada),
    await signedIn(world, school, ben),
    await signedIn(world, school, teacher),
  ]
  await checkPlans(async () => {
    const { location = '' } = (await submit(asks, path, to, { words: 'Which paper?' })).headers
    const [thread = ''] = location.split('?')
    const answered = await submit(answers, thread, to, { words: 'Rice' })
    expect(answered.statusCode).toBe(303)
    expect((await asks.get(String(answered.headers.location).split('#')[0] ?? '')).body).toContain(
      'Rice',
    )
    expect((await teaches.get(path)).body).toContain('Rice')
    for (const act of ['hide', 'show']) {
      expect((await submit(teaches, thread, `${thread}/${act}`)).statusCode).toBe(303)
    }
    const back = await submit(asks, thread, `${thread}/take-back`)
    expect(back.headers.location).toContain('done=taken-back')
  })
})

test('downloading the file of a lecture reads no whole table', async () => {
  const operator = await anOperator(world, school)
  const course = await aCourse(school, [[{ preview: true }]])
  const path = `/courses/${course.slug}/lectures/${course.lectures[0]?.[0]}`
  const uploaded = await operator.send('POST', '/files?name=words.txt', {
    body: 'words',
    headers: { 'content-type': 'text/plain' },
  })
  const file = { kind: 'file', file_id: uploaded.json().id } as const
  await school.db.update('lectures').set(file).where('course_id', '=', course.id).execute()
  const visitor = new Visitor(world, school)
  await checkPlans(async () => {
    expect((await visitor.get(`${path}/file`)).body).toBe('words')
  })
})

test('a visitor of a course and of a free lecture reads no whole table', async () => {
  const course = await aCourse(school, [[{ preview: true }]])
  const visitor = new Visitor(world, school)
  await checkPlans(async () => {
    const page = await visitor.get(`/courses/${course.slug}`)
    const [path = ''] = /\/courses\/[^"]*\/lectures\/[^"]*/.exec(page.body) ?? []
    expect((await visitor.get(path)).statusCode).toBe(200)
  })
})

test('answering a form reads no whole table', async () => {
  const [ada, slug] = [await world.aMember(school), aSlug()]
  const fields = JSON.stringify([{ name: 'q', label: 'Q', kind: 'text', required: true }])
  const form = { id: uuidv7(), slug, title: 'Ask', fields, once_per_member: true }
  await school.db.insert('forms', form).execute()
  const path = `/forms/${slug}`
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    expect((await new Visitor(world, school).get(path)).statusCode).toBe(200)
    const sent = await submit(visitor, path, path, { 'answer.q': 'Yes' })
    expect(sent.headers.location).toBe(`${path}?done=sent`)
  })
})

test('registering for an event reads no whole table', async () => {
  const [ada, slug] = [await world.aMember(school), aSlug()]
  const [starts_at, ends_at] = [daysFromNow(3), daysFromNow(3.1)]
  const event = {
    id: uuidv7(),
    slug,
    title: 'Open day',
    state: 'published',
    starts_at,
    ends_at,
  } as const
  await school.db.insert('events', { ...event, price_amount: 0, currency: 'USD' }).execute()
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    const sent = await submit(visitor, `/events/${slug}`, `/events/${slug}`)
    expect(sent.headers.location).toBe(`/events/${slug}?done=registered`)
  })
})

test('downloading a digital product reads no whole table', async () => {
  const operator = await anOperator(world, school)
  const ada = await world.aMember(school)
  const product = await aProductOf(school, ada, {})
  const uploaded = await operator.send('POST', '/files?name=words.txt', {
    body: 'words',
    headers: { 'content-type': 'text/plain' },
  })
  await operator.patch(`/digital-products/${product.id}`, { file_id: uploaded.json().id })
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    expect((await visitor.get(`/products/${product.slug}/file`)).body).toBe('words')
  })
  const owner = await anOwner(world, school)
  await checkPlans(async () => {
    expect((await owner.get(`/files/${uploaded.json().id}`)).body).toBe('words')
  })
})

test('the lists of what a school shows read no whole table', async () => {
  const visitor = new Visitor(world, school)
  await checkPlans(async () => {
    for (const { path } of Object.values(PUBLIC_LISTS)) {
      expect((await visitor.get(path)).statusCode, path).toBe(200)
    }
  })
})

testStatements('Pages of courses, forms, events and products', () => answered)
