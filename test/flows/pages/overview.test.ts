import { expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { aPayment } from '../../support/billing.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, daysFromNow } from '../../support/learning.ts'
import { aBetaSchool, anOwner, signedIn } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld()

async function overviewOf(visitor: Visitor): Promise<string> {
  const { statusCode, body } = await visitor.get('/admin')
  expect(statusCode).toBe(200)
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

async function aFailedJob(school: TestSchool, of_member = false): Promise<void> {
  await school.db
    .insert('jobs', {
      id: uuidv7(),
      kind: 'members.export',
      title: 'Export members',
      input: '{}',
      state: 'failed',
      via: 'admin_area',
      of_member,
      finished_at: new Date(),
      expires_at: daysFromNow(7),
    })
    .execute()
}

async function aDocument(school: TestSchool, client_id: string, disabled = false): Promise<void> {
  await school.db
    .insert('clients', {
      client_id,
      kind: 'document',
      audience: 'operator',
      name: 'Course Tool',
      redirect_uris: ['https://tool.example/callback'],
      scopes: ['openid', 'courses:read'],
      disabled_at: disabled ? new Date() : null,
    })
    .execute()
}

test('the overview compares money and enrollments with the 30 days before', async () => {
  const school = await world.aSchool()
  const owner = await anOwner(world, school)
  const ada = await world.aMember(school)
  const course = await aCourse(school, [[{ title: 'First strokes' }]])
  await anEnrollment(school, ada, course, { enrolledAt: daysFromNow(-1) })
  await aPayment(school, ada, { amount: 30_000 })
  await aPayment(school, ada, { amount: 40_000 })
  await school.db
    .update('payments')
    .set({ paid_at: daysFromNow(-40), created_at: daysFromNow(-40) })
    .where('amount', '=', 40_000)
    .execute()
  const page = await overviewOf(owner)
  expect(page).toContain('Last 30 days')
  expect(page).toMatch(/NT\$300 Revenue 25% less than in the 30 days before/)
  expect(page).toContain('1 New enrollments None in the 30 days before')
})

test('what is waiting has its number and leads to a list of exactly that', async () => {
  const school = await world.aSchool()
  const owner = await anOwner(world, school)
  expect(await overviewOf(owner)).toContain('Nothing is waiting for you.')
  const ada = await world.aMember(school)
  const asking = await aPayment(school, ada, { refund: { state: 'requested' } })
  await aPayment(school, ada, { refund: { state: 'rejected' } })
  const code = { type: 'atm', state: 'pending' } as const
  const due = await aPayment(school, ada, { ...code, expiresAt: daysFromNow(2) })
  const later = await aPayment(school, ada, { ...code, expiresAt: daysFromNow(5) })
  const over = await aPayment(school, ada, { ...code, expiresAt: daysFromNow(-1) })
  await aDocument(school, 'https://tool.example/client.json')
  await aDocument(school, 'https://off.example/client.json', true)
  await aFailedJob(school)
  await aFailedJob(school, true)
  const course = await aCourse(school, [[{ title: 'First strokes' }]])
  const comment = { lecture_id: course.lectures[0]?.[0] ?? '', user_id: ada.id }
  await school.db
    .insert('comments', [
      { ...comment, id: uuidv7(), body: 'Which paper?' },
      { ...comment, id: uuidv7(), body: 'Buy this now', hidden_at: new Date() },
      { ...comment, id: uuidv7(), body: 'Which ink?', created_at: daysFromNow(-9) },
    ])
    .execute()
  const page = await overviewOf(owner)
  expect(page).toContain('1 refund request ')
  expect(page).toContain('1 unpaid code expires soon')
  expect(page).toContain('1 app to review')
  expect(page).toContain('1 job failed')
  expect(page).toContain('1 new comment ')
  const links = (await owner.get('/admin')).body.match(/href="[^"]*\?[^"]*"/g) ?? []
  const listOf = async (part: string) => {
    const link = links.find((one) => one.includes(part)) ?? ''
    return (await owner.get(link.slice(6, -1).replaceAll('&amp;', '&'))).body
  }
  const refunds = await listOf('refunding_state=requested')
  expect(refunds).toContain(asking)
  expect(refunds).not.toContain(due)
  const unpaid = await listOf('due=soon')
  expect(unpaid).toContain(due)
  for (const other of [later, over, asking]) expect(unpaid).not.toContain(other)
  const comments = await listOf('/admin/comments')
  expect(comments).toContain('Which paper?')
  expect(comments).not.toContain('Buy this now')
  expect(comments).not.toContain('Which ink?')
})

test('the number of upcoming events leads to a list of exactly those', async () => {
  const school = await world.aSchool()
  const owner = await anOwner(world, school)
  const make = async (title: string, days: number, state: 'published' | 'draft' | 'canceled') => {
    const [starts_at, ends_at] = [daysFromNow(days), daysFromNow(days + 1)]
    const slug = title.toLowerCase()
    const event = { id: uuidv7(), title, slug, state, starts_at, ends_at, currency: 'USD' }
    await school.db.insert('events', event).execute()
  }
  await make('Coming', 3, 'published')
  await make('Over', -3, 'published')
  await make('Planned', 3, 'draft')
  await make('Called-off', 3, 'canceled')
  const { body } = await owner.get('/admin')
  const [, link = '', number] =
    /href="([^"]*)"><span class="figure">(\d+)<\/span> Upcoming events/.exec(body) ?? []
  expect(number).toBe('1')
  const list = (await owner.get(link.replaceAll('&amp;', '&'))).body
  expect(list).toContain('Coming')
  for (const other of ['Over<', 'Planned', 'Called-off']) expect(list).not.toContain(other)
})

test('nothing of another school is counted or listed', async () => {
  const school = await world.aSchool()
  const elsewhere = await world.aSchool()
  const ada = await world.aMember(elsewhere)
  await aPayment(elsewhere, ada, { refund: { state: 'requested' } })
  const code = { type: 'atm', state: 'pending', expiresAt: daysFromNow(1) } as const
  await aPayment(elsewhere, ada, code)
  await aDocument(elsewhere, 'https://tool.example/client.json')
  await aFailedJob(elsewhere)
  const owner = await anOwner(world, school)
  expect(await overviewOf(owner)).toContain('Nothing is waiting for you.')
  const { body } = await owner.get('/admin/payments?due=soon')
  expect(body).not.toContain('<tbody')
})

test('the steps of a new school are done by what it has, and the list goes when all are done', async () => {
  const school = await aBetaSchool(world)
  const person = await world.aMember(school, ['owner'])
  const owner = await signedIn(world, school, person)
  const steps = async () => /(\d) of 8 done/.exec(await overviewOf(owner))?.[1]
  const before = Number(await steps())
  await world.aMember(school, ['student'])
  expect(Number(await steps())).toBe(before + 1)
  await world.aMember(school, ['owner'])
  await world.aPublicClient(school)
  expect(Number(await steps())).toBe(before + 3)
  await aCourse(school, [[{ title: 'First strokes' }]])
  await world.database.db
    .updateTable('schools')
    .set({ description: 'We draw with ink.' })
    .where('id', '=', school.id)
    .execute()
  world.context.directory.forget(school.id)
  const page = await overviewOf(owner)
  expect(page).toContain('Set up your school')
  expect(page).toContain('Protect your own account')
  expect(page).not.toContain('Visitors and search engines read it.')
})

test('an admin is not sent to a step that only an owner can do', async () => {
  const school = await world.aSchool()
  const step = async (visitor: Visitor) =>
    /<a href="\/admin\/members\/new">Add a second owner/.test((await visitor.get('/admin')).body)
  expect(await step(await anOwner(world, school))).toBe(true)
  const admin = await signedIn(world, school, await world.aMember(school, ['admin']))
  expect(await step(admin)).toBe(false)
  expect(await overviewOf(admin)).toContain('Only an owner can do this.')
})

test('an OAuth word is not on the first page', async () => {
  const owner = await anOwner(world, await aBetaSchool(world))
  const { body } = await owner.get('/admin')
  const main = body.slice(body.indexOf('<main'), body.indexOf('</main'))
  expect(main).not.toMatch(/OAuth|client_id|token|scope/i)
})
