import { describe, expect, test } from 'vitest'
import { readActiveLearners } from '../../src/domain/analytics/analytics-operations.ts'
import { listOrders } from '../../src/domain/commerce/order-operations.ts'
import {
  listPayments,
  readPayment,
  recordPayment,
} from '../../src/domain/commerce/payment-operations.ts'
import {
  listProgress,
  markInEnrollment,
  markProgress,
} from '../../src/domain/learning/progress-operations.ts'
import {
  listNotifications,
  readNotification,
  sendNotification,
} from '../../src/domain/notifications/notification-operations.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { aToken, read } from '../support/member-api.ts'
import { Performer } from '../support/performing.ts'
import { sharedWorld, type TestPerson } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const staff = new Performer(school, await world.aMember(school, ['owner']))
const elsewhere = await world.aSchool()
const strangers = new Performer(elsewhere, await world.aMember(elsewhere, ['owner']))

async function seenBy<Field>(person: TestPerson, selection: string): Promise<Field> {
  const token = await aToken(world, school, person)
  return (await read<{ viewer: Field }>(world, school, token, `{ viewer { ${selection} } }`)).viewer
}

const seconds = (time: string) => Date.parse(time) / 1000

describe('a payment recorded from another system', () => {
  const PAYMENTS = `payments { nodes { tradeNo amount currency paymentType paymentState paidAt
    adjustments { kind label amount } invoice { number } lineitems { title quantity amount }
    installment { count amount } refundingState refundedAmount bankCode codeNo expiredAt } }`
  interface Payments {
    readonly payments: { readonly nodes: readonly Record<string, unknown>[] }
  }

  test('is in the billing history of the member with all its recorded fields', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school)
    await staff.does(recordPayment, {
      trade_no: 'T-100',
      order_number: 'O-100',
      member_id: ada.id,
      amount: 4500,
      currency: 'TWD',
      payment_type: 'credit_card',
      state: 'paid',
      created_at: '2026-03-01T09:00:00Z',
      paid_at: '2026-03-01T09:01:00Z',
      installment_count: 3,
      installment_amount: 1500,
      lines: [
        { title: 'A course', unit_amount: 2500, quantity: 2, kind: 'course', item_id: course.id },
      ],
      adjustments: [{ kind: 'coupon', label: 'SPRING', amount: -500 }],
      invoice: { number: 'I-100' },
    })
    const { payments } = await seenBy<Payments>(ada, PAYMENTS)
    expect(payments.nodes).toEqual([
      {
        tradeNo: 'T-100',
        amount: 4500,
        currency: 'TWD',
        paymentType: 'credit_card',
        paymentState: 'paid',
        paidAt: seconds('2026-03-01T09:01:00Z'),
        adjustments: [{ kind: 'coupon', label: 'SPRING', amount: -500 }],
        invoice: { number: 'I-100' },
        lineitems: [{ title: 'A course', quantity: 2, amount: 5000 }],
        installment: { count: 3, amount: 1500 },
        refundingState: 'none',
        refundedAmount: 0,
        bankCode: null,
        codeNo: null,
        expiredAt: null,
      },
    ])
    const required = { trade_no: 'T-100', order_number: 'O-100', member_id: ada.id, amount: 4500 }
    const again = await staff.does(recordPayment, { ...required, currency: 'TWD', invoice: null })
    expect(again).toMatchObject({
      state: 'pending',
      lines: [{ title: 'A course' }],
      adjustments: [{ label: 'SPRING' }],
      invoice: null,
    })
    const [order] = (await staff.does(listOrders, { number: 'O-100' })).data as unknown[]
    expect(order).toMatchObject({
      state: 'completed',
      completed_at: '2026-03-01T09:01:00.000Z',
      items: [{ kind: 'course', item_id: course.id, quantity: 2 }],
      payments: [{ trade_no: 'T-100' }],
    })
  })

  test('is updated if it is recorded again, and a retried checkout is a second payment of the order', async () => {
    const ada = await world.aMember(school)
    const checkout = { order_number: 'O-200', member_id: ada.id, amount: 900, currency: 'USD' }
    const unpaid = {
      ...checkout,
      trade_no: 'T-200',
      payment_type: 'atm',
      bank_code: '808',
      code_no: '998',
      expires_at: '2100-01-01T00:00:00Z',
    }
    const first = await staff.does(recordPayment, unpaid)
    expect((await seenBy<Payments>(ada, PAYMENTS)).payments.nodes).toMatchObject([
      { paymentState: 'pending', bankCode: '808', codeNo: '998' },
    ])
    const again = await staff.does(recordPayment, { ...unpaid, state: 'failed' })
    expect(again.id).toBe(first.id)
    const paid = { ...checkout, payment_type: 'credit_card', state: 'paid' }
    await staff.does(recordPayment, { ...paid, trade_no: 'T-201' })
    const { nodes } = (await seenBy<Payments>(ada, PAYMENTS)).payments
    expect(nodes).toMatchObject([
      { tradeNo: 'T-201', paymentState: 'paid' },
      { tradeNo: 'T-200', paymentState: 'failed' },
    ])
    await staff.does(recordPayment, {
      ...paid,
      trade_no: 'T-201',
      refunding_state: 'partially_refunded',
      refunded_amount: 400,
    })
    expect((await seenBy<Payments>(ada, PAYMENTS)).payments.nodes[0]).toMatchObject({
      refundingState: 'partially_refunded',
      refundedAmount: 400,
    })
    const listed = (await staff.does(listPayments, { member_id: ada.id })).data
    expect(listed).toMatchObject([{ order_number: 'O-200' }, { order_number: 'O-200' }])
  })

  test('is refused if it contradicts itself, or has the order, trade number or member of another payment', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const payment = { trade_no: 'T-300', order_number: 'O-300', member_id: ada.id, amount: 100 }
    const contradictions: [Record<string, unknown>, string][] = [
      [{ paid_at: '2026-01-01T00:00:00Z' }, '/paid_at inconsistent'],
      [{ state: 'expired' }, '/expires_at inconsistent'],
      [{ state: 'expired', expires_at: '2100-01-01T00:00:00Z' }, '/expires_at inconsistent'],
      [{ payment_type: 'credit_card', code_no: '1' }, '/bank_code inconsistent'],
      [{ installment_count: 3 }, '/installment_amount inconsistent'],
      [{ state: 'refunded' }, '/refunding_state inconsistent'],
      [{ refunding_state: 'requested' }, '/refunding_state inconsistent'],
      [{ state: 'paid', refunded_amount: 5 }, '/refunded_amount inconsistent'],
      [
        { state: 'refunded', refunding_state: 'refunded', refunded_amount: 101 },
        '/refunded_amount inconsistent',
      ],
      [
        { lines: [{ title: 'A', unit_amount: 1, kind: 'course', item_id: ada.id }] },
        '/course_id unknown_reference',
      ],
    ]
    for (const [more, refusal] of contradictions) {
      expect(await staff.isRefused(recordPayment, { ...payment, ...more })).toBe(refusal)
    }
    expect((await staff.does(listOrders, { number: 'O-300' })).data).toEqual([])
    await staff.does(recordPayment, payment)
    expect(await staff.isRefused(recordPayment, { ...payment, member_id: ben.id })).toBe(
      '/member_id other_member',
    )
    expect(await staff.isRefused(recordPayment, { ...payment, order_number: 'O-301' })).toBe(
      'taken',
    )
    expect(await strangers.isRefused(recordPayment, payment)).toBe('/member_id unknown_reference')
  })
})

describe('a notification', () => {
  interface Inbox {
    readonly unreadNotificationCount: number
    readonly notifications: { readonly nodes: readonly Record<string, unknown>[] }
  }
  const INBOX =
    'unreadNotificationCount notifications { nodes { kind title body url createdAt readAt } }'

  test('is unread in the inbox of the member; one from another system keeps its times', async () => {
    const ada = await world.aMember(school)
    await staff.does(sendNotification, { member_id: ada.id, title: 'Welcome', url: '/account' })
    const { id } = await staff.does(sendNotification, {
      member_id: ada.id,
      kind: 'comment_reply',
      title: 'Old news',
      body: 'Read long ago.',
      created_at: '2025-01-01T00:00:00Z',
      read_at: '2025-01-02T00:00:00Z',
    })
    expect(await seenBy<Inbox>(ada, INBOX)).toMatchObject({
      unreadNotificationCount: 1,
      notifications: {
        nodes: [
          { kind: 'announcement', title: 'Welcome', url: `${school.origin}/account`, readAt: null },
          { kind: 'comment_reply', readAt: seconds('2025-01-02T00:00:00Z') },
        ],
      },
    })
    expect((await staff.does(listNotifications, { kind: 'comment_reply' })).data).toMatchObject([
      { id, member_id: ada.id },
    ])
    expect(await strangers.isRefused(readNotification, { id })).toBe('not_found')
  })

  test('links to a path of the school or a web address, not to a script or a disguised host', async () => {
    const ada = await world.aMember(school)
    for (const url of ['javascript:alert(1)', '//evil.test/', '/\\evil.test', 'data:text/html,x']) {
      const input = { member_id: ada.id, title: 'A', url }
      expect(await staff.isRefused(sendNotification, input), url).toMatch('/url')
    }
    expect(await strangers.isRefused(sendNotification, { member_id: ada.id, title: 'A' })).toBe(
      '/member_id unknown_reference',
    )
  })
})

describe('progress', () => {
  const COURSES = `enrolledCourses { nodes { detailProgress { percent }
    lastWatchedLecture { lectureId positionSeconds } sections { lectures { id state } } } }`
  interface Courses {
    readonly enrolledCourses: { readonly nodes: readonly Record<string, unknown>[] }
  }

  test('that an operator sets is shown to the student, and counts as a day of learning', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school, [[{}, {}]])
    const enrollment = await anEnrollment(school, ada, course)
    const [one, two] = course.lectures[0] ?? []
    await staff.does(markProgress, {
      student_id: ada.id,
      lecture_id: one,
      state: 'completed',
      first_read_at: '2026-02-01T10:00:00Z',
      completed_at: '2026-02-03T10:00:00Z',
      watched_at: '2026-02-03T10:00:00Z',
      position_seconds: 50,
    })
    const half = { student_id: ada.id, lecture_id: two, position_seconds: 20 }
    const marked = await staff.does(markProgress, {
      ...half,
      state: 'read',
      first_read_at: '2026-02-02T10:00:00Z',
      watched_at: '2026-02-02T10:00:00Z',
    })
    expect(marked).toMatchObject({ state: 'read', first_read_at: '2026-02-02T10:00:00.000Z' })
    expect(await seenBy<Courses>(ada, COURSES)).toMatchObject({
      enrolledCourses: {
        nodes: [
          {
            detailProgress: { percent: 50 },
            lastWatchedLecture: { lectureId: one, positionSeconds: 50 },
            sections: [
              {
                lectures: [
                  { id: one, state: 'completed' },
                  { id: two, state: 'read' },
                ],
              },
            ],
          },
        ],
      },
    })
    const again = await staff.does(markProgress, { ...half, state: 'completed' })
    expect(again).toMatchObject({
      id: marked.id,
      state: 'completed',
      first_read_at: '2026-02-02T10:00:00.000Z',
    })
    const forgotten = await staff.does(markProgress, { ...half, state: 'unread' })
    expect(forgotten).toMatchObject({ id: marked.id, state: 'unread', first_read_at: null })
    expect((await staff.does(listProgress, { student_id: ada.id })).data).toHaveLength(1)
    const of = await staff.does(markInEnrollment, {
      id: enrollment,
      lecture_id: two,
      state: 'read',
    })
    expect(of).toMatchObject({ id: marked.id, student_id: ada.id, state: 'read' })
    const period = { from: '2026-02-01', to: '2026-02-04' }
    expect((await staff.does(readActiveLearners, period)).data).toMatchObject(
      [1, 1, 1, 0].map((learner_count) => ({ learner_count })),
    )
    expect((await staff.does(listProgress, { student_id: ada.id })).data).toHaveLength(2)
    expect((await strangers.does(listProgress, {})).data).toEqual([])
  })

  test('is refused for people who never had the course, lectures of other schools, and contradictions', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school, [[{}]])
    const mark = { student_id: ada.id, lecture_id: course.lectures[0]?.[0], state: 'read' }
    expect(await staff.isRefused(markProgress, mark)).toBe('/student_id not_enrolled')
    const enrollment = await anEnrollment(school, ada, course)
    const { lecture_id } = mark
    const marking = { id: enrollment, lecture_id, state: 'completed' }
    expect(await strangers.isRefused(markInEnrollment, marking)).toBe('not_found')
    const other = await aCourse(school, [[{}]])
    await anEnrollment(school, ada, other)
    const elsewhere = { ...marking, lecture_id: other.lectures[0]?.[0] }
    expect(await staff.isRefused(markInEnrollment, elsewhere)).toBe('/lecture_id unknown_reference')
    expect(await strangers.isRefused(markProgress, mark)).toBe('/lecture_id unknown_reference')
    const both = { ...mark, completed_at: '2026-02-03T10:00:00Z' }
    expect(await staff.isRefused(markProgress, both)).toBe('/completed_at inconsistent')
  })
})

test('another school cannot read a payment', async () => {
  const ada = await world.aMember(school)
  const { id } = await staff.does(recordPayment, {
    trade_no: 'T-400',
    order_number: 'O-400',
    member_id: ada.id,
    amount: 1,
  })
  expect(await strangers.isRefused(readPayment, { id })).toBe('not_found')
  expect((await strangers.does(listPayments, {})).data).toEqual([])
})
