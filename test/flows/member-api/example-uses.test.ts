import { expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aDemoToken, theDemoSchool } from '../../support/demo-member.ts'
import { read } from '../../support/member-api.ts'
import { aWorld } from '../../support/world.ts'

/** What an integrator builds first, with the data of the demo world. */
const world = await aWorld()
const school = await theDemoSchool(world)
const token = await aDemoToken(world, school, 'ada@demo.test')
const ask = <Data>(query: string, variables: Record<string, unknown> = {}) =>
  read<Data>(world, school, token, query, variables)
const now = Math.floor(Date.now() / 1000)

interface Payment {
  readonly tradeNo: string
  readonly createdAt: number
  readonly paymentType: string | null
  readonly paymentState: string
  readonly codeNo: string | null
  readonly expiredAt: number | null
  readonly lineitems: readonly { readonly title: string; readonly amount: number }[]
  readonly adjustments: readonly { readonly amount: number }[]
  readonly amount: number
}

async function billingHistory(): Promise<Payment[]> {
  const query = `query ($after: String) { viewer { payments(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { tradeNo createdAt amount currency paymentType paymentState paidAt codeNo expiredAt
      lineitems { title amount } adjustments { label amount } invoice { number }
      refundingState refundedAmount } } } }`
  const all: Payment[] = []
  for (let after: string | null = null; ; ) {
    const { viewer }: PaymentPage = await ask<PaymentPage>(query, { after })
    all.push(...viewer.payments.nodes)
    if (!viewer.payments.pageInfo.hasNextPage) return all
    after = viewer.payments.pageInfo.endCursor
  }
}

interface PaymentPage {
  readonly viewer: {
    readonly payments: {
      readonly nodes: readonly Payment[]
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
    }
  }
}

test('the billing history, page by page: newest first, and sums that come out', async () => {
  const all = await billingHistory()
  expect(all.length).toBeGreaterThan(50)
  expect(new Set(all.map(({ tradeNo }) => tradeNo)).size).toBe(all.length)
  expect(all.map(({ createdAt }) => createdAt)).toEqual(
    all.map(({ createdAt }) => createdAt).sort((a, b) => b - a),
  )
  expect(new Set(all.map(({ paymentState }) => paymentState))).toEqual(
    new Set(['pending', 'paid', 'failed', 'expired', 'refunded']),
  )
  for (const { amount, lineitems, adjustments } of all) {
    const sum = [...lineitems, ...adjustments].reduce((total, line) => total + line.amount, 0)
    expect(sum).toBe(amount)
  }
})

test('the instructions of what is still to be paid', async () => {
  const open = (await billingHistory()).filter(
    ({ paymentState, codeNo }) => paymentState === 'pending' && codeNo !== null,
  )
  expect(new Set(open.map(({ paymentType }) => paymentType))).toEqual(
    new Set(['atm', 'convenience_store']),
  )
  for (const { codeNo, expiredAt } of open) {
    expect(codeNo).toMatch(/\d{8}/)
    expect(expiredAt).toBeGreaterThan(now)
  }
})

verifies(
  'viewer.payments.cover-entitlements',
  'courses, products and events that were paid for are all found under payments',
  async () => {
    const titles = (await billingHistory()).flatMap(({ lineitems }) =>
      lineitems.map(({ title }) => title),
    )
    const { viewer } = await ask<{
      viewer: {
        enrolledCourses: { nodes: { title: string }[] }
        digitalProducts: { nodes: { title: string }[] }
        eventRegistrations: { nodes: { event: { title: string } }[] }
      }
    }>(`{ viewer { enrolledCourses { nodes { title } } digitalProducts { nodes { title } }
      eventRegistrations { nodes { event { title } } } } }`)
    const { enrolledCourses, digitalProducts, eventRegistrations } = viewer
    const bought = (nodes: readonly { title: string }[]): boolean =>
      nodes.some(({ title }) => titles.some((line) => line.includes(title)))
    expect(bought(enrolledCourses.nodes)).toBe(true)
    expect(bought(digitalProducts.nodes)).toBe(true)
    expect(bought(eventRegistrations.nodes.map(({ event }) => event))).toBe(true)
  },
)

interface Meetings {
  readonly viewer: {
    readonly consultingMeetings: {
      readonly nodes: readonly {
        readonly id: string
        readonly startedAt: number
        readonly state: string
        readonly roomUrl: string
      }[]
    }
  }
}

const MEETINGS = `query ($filter: ConsultingMeetingFilter, $first: Int, $last: Int) { viewer {
  consultingMeetings(filter: $filter, first: $first, last: $last) {
    nodes { id title kind state startedAt endedAt roomUrl } } } }`

test('the upcoming schedule, the next meeting and the history', async () => {
  const filter = { startedAfter: now, state: ['available', 'scheduled'] }
  const upcoming = (await ask<Meetings>(MEETINGS, { filter, first: 50 })).viewer.consultingMeetings
  expect(upcoming.nodes.length).toBeGreaterThan(3)
  expect(upcoming.nodes.every(({ startedAt }) => startedAt >= now)).toBe(true)
  expect(upcoming.nodes.map(({ state }) => state)).not.toContain('canceled')
  expect(upcoming.nodes.every(({ roomUrl }) => roomUrl !== '')).toBe(true)
  const next = (await ask<Meetings>(MEETINGS, { filter, last: 1 })).viewer.consultingMeetings
  expect(next.nodes).toEqual(upcoming.nodes.slice(-1))
  const past = { startedBefore: now - 86_400 }
  const history = (await ask<Meetings>(MEETINGS, { filter: past })).viewer.consultingMeetings
  expect(history.nodes.length).toBeGreaterThan(3)
  expect(history.nodes.every(({ roomUrl }) => roomUrl === '')).toBe(true)
})

test('the syllabus with the progress in each lecture', async () => {
  const { viewer } = await ask<{
    viewer: {
      enrolledCourses: {
        nodes: {
          expireDate: number | null
          hasLifetimeAccess: boolean
          lastWatchedLecture: { lectureId: string } | null
          detailProgress: { completedLectures: number; totalLectures: number; percent: number }
          sections: {
            lectures: { id: string; state: string; isLocked: boolean; unlockAt: number | null }[]
          }[]
        }[]
      }
    }
  }>(`{ viewer { enrolledCourses(first: 50) { nodes { slug expireDate hasLifetimeAccess
    lastWatchedLecture { lectureId positionSeconds }
    detailProgress { completedLectures totalLectures percent }
    sections { title lectures { id title state isLocked unlockAt duration } } } } } }`)
  const courses = viewer.enrolledCourses.nodes
  expect(courses.length).toBeGreaterThanOrEqual(3)
  const states = new Set<string>()
  for (const course of courses) {
    const lectures = course.sections.flatMap((section) => section.lectures)
    for (const { state } of lectures) states.add(state)
    expect(course.hasLifetimeAccess).toBe(course.expireDate === null)
    expect(course.detailProgress.totalLectures).toBe(lectures.length)
    expect(course.detailProgress.completedLectures).toBe(
      lectures.filter(({ state }) => state === 'completed').length,
    )
    const { lastWatchedLecture: last } = course
    if (last !== null) expect(lectures.map(({ id }) => id)).toContain(last.lectureId)
    for (const { unlockAt, isLocked } of lectures) {
      if (unlockAt !== null) expect([isLocked, unlockAt > now]).toEqual([true, true])
    }
  }
  expect(states).toEqual(new Set(['unread', 'read', 'completed']))
  expect(
    courses.some((course) =>
      course.sections.some(({ lectures }) => lectures.some((l) => l.unlockAt)),
    ),
  ).toBe(true)
})

test('the inbox: read it, mark one, mark the rest', async () => {
  const { viewer } = await ask<{
    viewer: {
      unreadNotificationCount: number
      notifications: { nodes: { id: string; readAt: number | null }[] }
    }
  }>('{ viewer { unreadNotificationCount notifications { nodes { id title readAt } } } }')
  const unread = viewer.notifications.nodes.filter(({ readAt }) => readAt === null)
  expect(unread.length).toBeGreaterThan(1)
  const { markNotificationRead } = await ask<{
    markNotificationRead: { unreadNotificationCount: number }
  }>('mutation ($id: ID!) { markNotificationRead(id: $id) { unreadNotificationCount } }', {
    id: unread[0]?.id,
  })
  expect(markNotificationRead.unreadNotificationCount).toBe(viewer.unreadNotificationCount - 1)
  const { markAllNotificationsRead } = await ask<{
    markAllNotificationsRead: { markedCount: number; unreadNotificationCount: number }
  }>('mutation { markAllNotificationsRead { markedCount unreadNotificationCount } }')
  expect(markAllNotificationsRead).toEqual({
    markedCount: viewer.unreadNotificationCount - 1,
    unreadNotificationCount: 0,
  })
})
