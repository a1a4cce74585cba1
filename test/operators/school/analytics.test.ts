import { describe, expect, test } from 'vitest'
import { recordPayment } from '../../../src/domain/commerce/payment-operations.ts'
import { markProgress } from '../../../src/domain/learning/progress-operations.ts'
import { wrongFields } from '../../support/admin-browser.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { Performer } from '../../support/performing.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const owner = await anOwner(world, school)
const PERIOD = 'from=2026-02-01&to=2026-02-10'

/** A payment of 25 dollars, an enrollment and a day of learning, all on 3 February. */
async function addActivity(at: TestSchool, title: string): Promise<void> {
  const staff = new Performer(at, await world.aMember(at, ['owner']))
  const ada = await world.aMember(at)
  const course = await aCourse(at, [[{}, {}]])
  await at.db.update('courses').set({ title }).where('id', '=', course.id).execute()
  const noon = '2026-02-03T12:00:00Z'
  await anEnrollment(at, ada, course, { enrolledAt: new Date(noon) })
  await staff.does(markProgress, {
    student_id: ada.id,
    lecture_id: course.lectures[0]?.[0],
    state: 'completed',
    completed_at: noon,
  })
  await staff.does(recordPayment, {
    trade_no: 'T-1',
    order_number: 'O-1',
    member_id: ada.id,
    amount: 2500,
    currency: 'USD',
    payment_type: 'credit_card',
    state: 'paid',
    created_at: noon,
  })
}

await addActivity(school, '<b>Ours & yours</b>')
await addActivity(await world.aSchool(), 'Another school’s')

describe('the analytics page', () => {
  test('shows payments, enrollments, learning and completions of this school only', async () => {
    const { body } = await owner.get(`/admin/analytics?${PERIOD}`)
    expect(body).toContain('1 Feb 2026 to 10 Feb 2026')
    expect(body).toContain('<strong>$25.00</strong>')
    expect(body).toContain('<title>3 Feb 2026: $25.00</title>')
    expect(body).toContain('<th scope="row">3 Feb 2026</th><td>$25.00</td><td>$0.00</td><td>1</td>')
    expect(body).toContain(
      '<th scope="row">3 Feb 2026</th><td>1</td><td>0</td><td>0</td><td>1</td>',
    )
    expect(body).toContain('<th scope="row">3 Feb 2026</th><td>1</td></tr>')
    expect(body).toContain('1 student')
    expect(body).toContain('<span>50%</span>')
    expect(body).toContain('&lt;b>Ours &amp; yours&lt;/b>')
    expect(body).not.toContain('Another school')
  })

  test('describes each chart in text', async () => {
    const { body } = await owner.get(`/admin/analytics?${PERIOD}`)
    expect([...body.matchAll(/<svg[^>]*role="img"/g)]).toHaveLength(3)
    expect(body).toContain('<title id="revenue-usd-title">Revenue</title>')
    expect(body).toContain('The most was $25.00: 3 Feb 2026.')
  })

  test('shows a text instead of an empty chart', async () => {
    const { body } = await owner.get('/admin/analytics?from=2020-02-01&to=2020-02-10')
    expect(body).toContain('There were no payments in this period or in the period before.')
    expect(body).toContain('The same as in the 10 days before.')
    expect(body).not.toContain('<svg class="chart-plot"')
  })

  test('can count by week and month, and preset periods end today', async () => {
    const weeks = await owner.get('/admin/analytics?from=2026-02-01&to=2026-02-10&interval=week')
    expect(weeks.body).toContain('<th scope="row">Week of 2 Feb 2026</th><td>$25.00</td>')
    const months = await owner.get('/admin/analytics?last=12-months')
    const [current] = /<a [^>]*aria-current="page"[^>]*><span[^>]*>Last /.exec(months.body) ?? []
    expect(current).toContain('last=12-months')
    expect(months.statusCode).toBe(200)
    const first = await owner.get('/admin/analytics?from=1970-01-01&to=1970-01-31')
    expect(first.statusCode).toBe(200)
  })

  test.each([
    ['from=2026-02-10&to=2026-02-01', ['to']],
    ['from=then&to=', ['from', 'to']],
    ['from=1900-01-01&to=2026-01-01', ['from']],
    ['from=2000-01-01&to=2026-01-01', ['to']],
    ['from=2026-02-30&to=2026-03-01', ['from']],
  ])('says what is wrong with %s beside the field', async (query, wrong) => {
    const answer = await owner.get(`/admin/analytics?${query}`)
    expect(answer.statusCode).toBe(422)
    expect(wrongFields(answer.body)).toEqual(wrong)
    expect(answer.body).not.toContain('<svg class="chart-plot"')
  })

  test('is for owners and admins', async () => {
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await student.get('/admin/analytics')).statusCode).toBe(403)
    const admin = await signedIn(world, school, await world.aMember(school, ['admin']))
    expect((await admin.get('/admin/analytics')).statusCode).toBe(200)
  })
})
