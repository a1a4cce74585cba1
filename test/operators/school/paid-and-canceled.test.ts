import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { AdminBrowser, errorsIn, wrongFields } from '../../support/admin-browser.ts'
import { anOrder, aPayment, type PaymentSketch } from '../../support/billing.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const owner = await anOwner(world, school)
const browser = new AdminBrowser(owner)

interface Seen {
  readonly payments: { readonly nodes: readonly Record<string, unknown>[] }
  readonly notifications: { readonly nodes: readonly { readonly title: string }[] }
  readonly enrolledCourses: { readonly nodes: readonly unknown[] }
  readonly digitalProducts: { readonly nodes: readonly unknown[] }
}
const SEEN = `payments { nodes { paymentState codeNo } } notifications { nodes { title } }
  enrolledCourses { nodes { title } } digitalProducts { nodes { title } }`

/** What the member reads through the Member API. */
async function seenBy(person: TestPerson) {
  const token = await aToken(world, school, person)
  const { viewer } = await read<{ viewer: Seen }>(world, school, token, `{ viewer { ${SEEN} } }`)
  return {
    payments: viewer.payments.nodes,
    told: viewer.notifications.nodes.map(({ title }) => title),
    courses: viewer.enrolledCourses.nodes.length,
    downloads: viewer.digitalProducts.nodes.length,
  }
}

async function aProduct(): Promise<string> {
  const id = uuidv7()
  const product = { id, slug: `product-${id}`, title: 'Workbook', currency: 'TWD' }
  await school.db.insert('digital_products', { ...product, state: 'published' }).execute()
  return id
}

/**
 * An order of a course and a download with one payment, by default with a code that is not paid
 * yet.
 */
async function aSale(sketch: PaymentSketch = CODE, buyer?: TestPerson, courseId?: string) {
  const person = buyer ?? (await world.aMember(school))
  const order = await anOrder(school, person)
  const course = courseId ?? (await aCourse(school)).id
  await school.db
    .insert('order_items', [
      { order_id: order, position: 0, title: 'Course', course_id: course, unit_amount: 500 },
      {
        order_id: order,
        position: 1,
        title: 'Workbook',
        digital_product_id: await aProduct(),
        unit_amount: 500,
      },
    ])
    .execute()
  const tradeNo = await aPayment(school, person, { ...sketch, orderId: order })
  const { id } = await school.db
    .from('payments')
    .select('id')
    .where('trade_no', '=', tradeNo)
    .executeTakeFirstOrThrow()
  return {
    person,
    course,
    order: `/admin/orders/${order}`,
    payment: `/admin/payments/${id}`,
    orderRow: () =>
      school.db
        .from('orders')
        .select(['state', 'completed_at'])
        .where('id', '=', order)
        .executeTakeFirstOrThrow(),
  }
}

const CODE = {
  state: 'pending',
  type: 'atm',
  expiresAt: new Date('2099-01-01T00:00:00Z'),
  bank: { code: '004', name: 'Bank', codeNo: '123456' },
} as const satisfies PaymentSketch

describe('a payment that is marked as paid', () => {
  test('completes its order and opens the courses and downloads to the member, who is told', async () => {
    const { person, payment, orderRow } = await aSale()
    expect(await seenBy(person)).toMatchObject({ courses: 0, downloads: 0 })
    expect(await browser.page(`${payment}/mark-paid`)).toMatch(/counts as received/)
    await browser.done(`${payment}/mark-paid`, { message: 'Thank you for the cash.' })
    expect(await seenBy(person)).toEqual({
      payments: [{ paymentState: 'paid', codeNo: null }],
      told: expect.toSatisfy(
        (told: string[]) =>
          told.toSorted().join() === 'You are enrolled in a course,Your payment arrived',
      ),
      courses: 1,
      downloads: 1,
    })
    expect(await orderRow()).toMatchObject({ state: 'completed', completed_at: expect.any(Date) })
  })

  test('is undone: it waits for its money again, and its order is open', async () => {
    const { person, payment, orderRow } = await aSale()
    await browser.done(`${payment}/mark-paid`)
    await browser.done(`${payment}/mark-unpaid`)
    expect(await seenBy(person)).toMatchObject({
      payments: [{ paymentState: 'pending', codeNo: '123456' }],
      courses: 1,
    })
    expect(await orderRow()).toEqual({ state: 'open', completed_at: null })
  })

  test('counts from the time that the operator types, which has passed', async () => {
    const { payment, orderRow } = await aSale()
    const later = await browser.send(`${payment}/mark-paid`, { paid_at: '2098-01-01T09:00' })
    expect(wrongFields(later.body)).toEqual(['paid_at'])
    await browser.done(`${payment}/mark-paid`, { paid_at: '2026-03-01T09:00' })
    expect((await orderRow()).completed_at).toEqual(new Date('2026-03-01T09:00:00Z'))
  })

  test('leaves access alone that the member has until a day, or without a purchase', async () => {
    const person = await world.aMember(school)
    const course = await aCourse(school)
    const expiresAt = new Date('2098-01-01T00:00:00Z')
    await anEnrollment(school, person, course, { expiresAt })
    const { payment } = await aSale(CODE, person, course.id)
    await browser.done(`${payment}/mark-paid`)
    const enrolled = await school.db
      .from('enrollments')
      .select('expires_at')
      .where('user_id', '=', person.id)
      .execute()
    expect(enrolled).toEqual([{ expires_at: expiresAt }])
  })
})

describe('an order that is canceled', () => {
  test('cannot be paid by its code any more, and is reopened', async () => {
    const { person, order, payment, orderRow } = await aSale()
    await browser.done(`${order}/cancel`, { message: 'The course does not start.' })
    expect(await orderRow()).toMatchObject({ state: 'canceled' })
    expect((await seenBy(person)).payments).toMatchObject([{ paymentState: 'failed' }])
    const refused = await browser.send(`${payment}/mark-paid`)
    expect(refused.statusCode).toBe(409)
    expect(refused.body).toContain('Reopen the order first.')
    await browser.done(`${order}/reopen`)
    expect(await orderRow()).toMatchObject({ state: 'open' })
    expect((await seenBy(person)).told.sort()).toEqual([
      'Your order is open again',
      'Your order was canceled',
    ])
    await browser.done(`${payment}/mark-paid`)
    expect(await orderRow()).toMatchObject({ state: 'completed' })
  })

  test('is refunded before: an order that the school holds money of is offered no cancellation', async () => {
    const { person, order, payment, orderRow } = await aSale()
    await browser.done(`${payment}/mark-paid`)
    expect(await browser.page(order)).not.toContain(`${order}/cancel`)
    expect(await browser.page(`${order}/cancel`)).toContain('is not possible as things are now')
    await browser.done(`${payment}/refund`)
    await browser.done(`${order}/cancel`, { end_access: 'on' })
    expect(await orderRow()).toEqual({ state: 'canceled', completed_at: null })
    expect(await seenBy(person)).toMatchObject({ courses: 0, downloads: 0 })
    const undone = await browser.send(`${payment}/undo-refund`)
    expect(undone.statusCode, 'no payment of a canceled order is paid again').toBe(409)
    expect(undone.body).toContain('Reopen the order first.')
    expect((await seenBy(person)).payments).toMatchObject([{ paymentState: 'refunded' }])
    await browser.done(`${order}/reopen`)
    expect(await orderRow()).toMatchObject({ state: 'completed' })
  })
})

describe('an order that cost nothing', () => {
  test('is canceled without a refund, because there is nothing to refund', async () => {
    const { person, order, payment, orderRow } = await aSale({ type: 'free', amount: 0 })
    expect(await browser.page(payment)).not.toContain(`${payment}/refund`)
    await browser.done(`${order}/cancel`, { end_access: 'on' })
    expect(await orderRow()).toEqual({ state: 'canceled', completed_at: null })
    expect((await seenBy(person)).told).toEqual(['Your order was canceled'])
    await browser.done(`${order}/reopen`)
    expect(await orderRow()).toMatchObject({ state: 'completed' })
  })
})

describe('a refund that ends access', () => {
  test('ends what the order gave, but not what another order gave, too', async () => {
    const { person, course, payment } = await aSale()
    await browser.done(`${payment}/mark-paid`)
    const second = await aSale(CODE, person, course)
    await browser.done(`${second.payment}/mark-paid`)
    expect(await seenBy(person)).toMatchObject({ courses: 1, downloads: 2 })
    await browser.done(`${payment}/refund`, { end_access: 'on' })
    expect(await seenBy(person)).toMatchObject({ courses: 1, downloads: 1 })
    await browser.done(`${second.payment}/refund`, { end_access: 'on' })
    expect(await seenBy(person)).toMatchObject({ courses: 0, downloads: 0 })
  })

  test('leaves an enrollment alone that was given and not bought', async () => {
    const person = await world.aMember(school)
    const course = await aCourse(school)
    await anEnrollment(school, person, course)
    const { payment } = await aSale(CODE, person, course.id)
    await browser.done(`${payment}/mark-paid`)
    await browser.done(`${payment}/refund`, { end_access: 'on' })
    expect(await seenBy(person)).toMatchObject({ courses: 1 })
  })
})

describe('attacks', () => {
  test('a double click marks a payment as paid once, and tells of it and of the course once', async () => {
    const { person, payment } = await aSale()
    const form = await browser.page(`${payment}/mark-paid`)
    const send = () => browser.fill(form, `${payment}/mark-paid`, {})
    const answers = await Promise.all([send(), send(), send()])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 409, 409])
    expect((await send()).statusCode).toBe(409)
    expect((await seenBy(person)).told).toHaveLength(2)
  })

  test('an order that is canceled while its payment is marked as paid is one of both', async () => {
    const { order, payment, orderRow } = await aSale()
    const colleague = new AdminBrowser(await anOwner(world, school))
    const [paying, canceling] = [
      await browser.page(`${payment}/mark-paid`),
      await colleague.page(`${order}/cancel`),
    ]
    const answers = await Promise.all([
      browser.fill(paying, `${payment}/mark-paid`, {}),
      colleague.fill(canceling, `${order}/cancel`, {}),
    ])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 409])
    const paid = answers[0]?.statusCode === 303
    expect((await orderRow()).state).toBe(paid ? 'completed' : 'canceled')
  })

  test('a payment with a refund is not marked as not paid, to hide the refund', async () => {
    for (const refund of [
      { state: 'requested' },
      { state: 'partially_refunded', amount: 300 },
    ] as const) {
      const { payment } = await aSale({ state: 'paid', refund })
      expect(await browser.page(payment)).not.toContain('mark-unpaid')
      const form_token = hiddenFields(await browser.page(payment), '/sign-out').form_token ?? ''
      const sent = { form_token, if_version: '1', message: '' }
      expect((await owner.post(`${payment}/mark-unpaid`, sent)).statusCode).toBe(409)
    }
  })

  test('a lecturer, the buyer and the owner of another school mark nothing and cancel nothing', async () => {
    const { person, order, payment, orderRow } = await aSale()
    const lecturer = await world.aMember(school, ['lecturer'])
    for (const [visitor, status] of [
      [await signedIn(world, school, lecturer), 403],
      [await signedIn(world, school, person), 403],
      [await anOwner(world, await world.aSchool()), 404],
    ] as const) {
      const page = (await visitor.get('/account')).body
      const form_token = hiddenFields(page, '/sign-out').form_token ?? ''
      for (const form of [
        `${payment}/mark-paid`,
        `${payment}/mark-unpaid`,
        `${order}/cancel`,
        `${order}/reopen`,
      ]) {
        expect((await visitor.get(form)).statusCode, form).toBe(status)
        const sent = { form_token, if_version: '1', message: '' }
        expect((await visitor.post(form, sent)).statusCode, form).toBe(status)
      }
    }
    expect(await orderRow()).toMatchObject({ state: 'open' })
    expect((await seenBy(person)).payments).toMatchObject([{ paymentState: 'pending' }])
  })

  test('a forged post without the token of the form is refused', async () => {
    const { payment, order, orderRow } = await aSale()
    for (const form of [`${payment}/mark-paid`, `${order}/cancel`]) {
      expect((await owner.post(form, { if_version: '1', message: '' })).statusCode).toBe(403)
    }
    expect(await orderRow()).toMatchObject({ state: 'open' })
  })

  test('a message that is too long is refused beside its field', async () => {
    const { order } = await aSale()
    const answer = await browser.send(`${order}/cancel`, { message: 'x'.repeat(1001) })
    expect(errorsIn(answer.body)).toEqual(['Use at most 1000 characters.'])
  })
})
