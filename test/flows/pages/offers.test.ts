import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { publicPlans } from '../../../src/domain/commerce/public-offers.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { anOperator } from '../../support/admin-api.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aCourse, aProductOf, aSlug } from '../../support/learning.ts'
import { signedIn } from '../../support/operator-like.ts'
import { aWorld, type TestPerson } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const world = await aWorld({ files: createDiskStore(folder) })
const school = await world.aSchool()
const operator = await anOperator(world, school)
const BYTES = 'the whole workbook'

afterAll(() => rm(folder, { recursive: true, force: true }))

async function aDownloadOf(person: TestPerson, revokedAt?: Date) {
  const product = await aProductOf(school, person, revokedAt === undefined ? {} : { revokedAt })
  const uploaded = await operator.send('POST', '/files?name=workbook.pdf', {
    body: BYTES,
    headers: { 'content-type': 'application/pdf' },
  })
  const change = { file_id: uploaded.json().id, description: '**All** of it' }
  const changed = await operator.patch(`/digital-products/${product.id}`, change)
  expect(changed.statusCode, changed.body).toBe(200)
  return { ...product, path: `/products/${product.slug}` }
}

describe('a digital product', () => {
  test('has a page for visitors, and its file for those who own it', async () => {
    const ada = await world.aMember(school)
    const { path, id } = await aDownloadOf(ada)
    const stranger = new Visitor(world, school)
    const page = await stranger.get(path)
    expect(page.body).toContain('<strong>All</strong> of it')
    expect(page.body).not.toContain(`${path}/file`)
    expect(page.body).toContain('Ask the school how to buy it.')
    expect(page.body).toContain(`href="/sign-in?return_to=${encodeURIComponent(path)}"`)
    expect((await stranger.get('/')).body).toContain(`href="${path}"`)

    const visitor = await signedIn(world, school, ada)
    const own = await visitor.get(path)
    expect(own.body).toContain(`href="${path}/file"`)
    expect(own.body).not.toContain('how to buy it')
    expect((await visitor.get('/account/downloads')).body).toContain(`href="${path}"`)
    const file = await visitor.get(`${path}/file`)
    expect(file.body).toBe(BYTES)
    expect(file.headers['cache-control']).toBe('private, no-store')

    await operator.post(`/digital-products/${id}/archive`)
    expect((await visitor.get(`${path}/file`)).body).toBe(BYTES)
    expect((await stranger.get(path)).statusCode).toBe(404)
  })

  test('is not downloaded by a visitor, by another member, or after access was taken back', async () => {
    const [ada, eve] = [await world.aMember(school), await world.aMember(school)]
    const { path } = await aDownloadOf(ada)
    const stranger = await new Visitor(world, school).get(`${path}/file`)
    expect(stranger.headers.location).toContain('/sign-in')
    const revoked = await aDownloadOf(ada, new Date())
    for (const [person, file] of [
      [eve, `${path}/file`],
      [ada, `${revoked.path}/file`],
    ] as const) {
      const answer = await (await signedIn(world, school, person)).get(file)
      expect(answer.statusCode).toBe(403)
      expect(answer.body).not.toContain(BYTES)
    }
  })

  test('of another school is not found, also by its owner', async () => {
    const ada = await world.aMember(school)
    const { path } = await aDownloadOf(ada)
    const other = await world.aSchool()
    await other.db.insert('school_members', { user_id: ada.id, roles: ['student'] }).execute()
    const visitor = await signedIn(world, other, ada)
    expect((await visitor.get(path)).statusCode).toBe(404)
    expect((await visitor.get(`${path}/file`)).statusCode).toBe(404)
  })
})

describe('a plan', () => {
  test('has a page with its price and its public courses; a draft is not found', async () => {
    const open = await aCourse(school)
    const hidden = await aCourse(school, [[{}]], { title: 'A title of tomorrow' })
    const tomorrow = new Date(Date.now() + 86_400_000)
    await school.db
      .update('courses')
      .set({ published_at: tomorrow })
      .where('id', '=', hidden.id)
      .execute()
    const created = await operator.post('/membership-plans', {
      slug: aSlug(),
      name: 'Studio',
      description: 'All *courses*',
      price_amount: 1200,
      currency: 'USD',
      interval: 'month',
      course_ids: [open.id, hidden.id],
    })
    const { id, slug } = created.json()
    const visitor = new Visitor(world, school)
    expect((await visitor.get(`/plans/${slug}`)).statusCode).toBe(404)
    await operator.post(`/membership-plans/${id}/publish`)
    const { body } = await visitor.get(`/plans/${slug}`)
    expect(body).toContain('All <em>courses</em>')
    expect(body).toContain('$12.00 a month')
    expect(body).toContain(`href="/courses/${open.slug}"`)
    expect(body).not.toContain(hidden.slug)
    expect(body).not.toContain(hidden.title)
    const told = await publicPlans(school.db, '', { limit: 10, fromEnd: false })
    expect(told.find((plan) => plan.id === id)?.courses).toEqual([open.title])
    expect(body).toContain('Ask the school how to subscribe.')
    expect((await visitor.get('/')).body).toContain(`href="/plans/${slug}"`)
    expect((await visitor.get('/plans/a%00b')).statusCode).toBe(404)
  })
})
