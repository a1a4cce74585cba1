import type { ResultOf } from 'gql.tada'
import { expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { aDemoToken, theDemoSchool } from '../../support/demo-member.ts'
import { graphql, typedClient } from './typed-client.ts'

/** Typical first uses of an integrator, typed by the schema, with the data of the demo world. */
const world = await aDemoWorld()
const school = await theDemoSchool(world)
const ask = typedClient(world, school, await aDemoToken(world, school, 'ada@demo.test'))
const now = Math.floor(Date.now() / 1000)

const Payments = graphql(`
  query Payments($after: String) {
    viewer {
      payments(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          tradeNo createdAt amount currency paymentType paymentState paidAt
          bankCode bankName codeNo expiredAt
          lineitems { title amount } adjustments { label amount } invoice { number }
          refundingState refundedAmount
        }
      }
    }
  }
`)
type PaymentPage = NonNullable<ResultOf<typeof Payments>['viewer']>['payments']

async function billingHistory(): Promise<PaymentPage['nodes']> {
  const all: PaymentPage['nodes'] = []
  for (let after: string | null = null; ; ) {
    const { viewer }: ResultOf<typeof Payments> = await ask(Payments, { after })
    if (viewer === null) throw new Error('no viewer')
    all.push(...viewer.payments.nodes)
    if (!viewer.payments.pageInfo.hasNextPage) return all
    after = viewer.payments.pageInfo.endCursor
  }
}

test('the billing history by pages: newest first, and the sums are right', async () => {
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

test('the instructions of open payments', async () => {
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

const Entitlements = graphql(`
  query Entitlements {
    viewer {
      enrolledCourses { nodes { title } }
      digitalProducts { nodes { title } }
      eventRegistrations { nodes { event { title } } }
    }
  }
`)

verifies(
  'viewer.payments.cover-entitlements',
  'paid courses, products and events are all found in the payments',
  async () => {
    const titles = (await billingHistory()).flatMap(({ lineitems }) =>
      lineitems.map(({ title }) => title),
    )
    const { viewer } = await ask(Entitlements, {})
    const bought = (nodes: readonly { title: string }[] = []): boolean =>
      nodes.some(({ title }) => titles.some((line) => line.includes(title)))
    expect(bought(viewer?.enrolledCourses.nodes)).toBe(true)
    expect(bought(viewer?.digitalProducts.nodes)).toBe(true)
    expect(bought(viewer?.eventRegistrations.nodes.map(({ event }) => event))).toBe(true)
  },
)

const Meetings = graphql(`
  query Meetings($filter: ConsultingMeetingFilter, $first: Int, $last: Int) {
    viewer {
      consultingMeetings(filter: $filter, first: $first, last: $last) {
        nodes { id title kind state startedAt endedAt roomUrl }
      }
    }
  }
`)

test('the upcoming schedule, the next meeting and the history', async () => {
  const filter = { endedAfter: now, state: ['available' as const, 'scheduled' as const] }
  const upcoming =
    (await ask(Meetings, { filter, first: 50 })).viewer?.consultingMeetings.nodes ?? []
  expect(upcoming.length).toBeGreaterThan(3)
  expect(upcoming.every(({ endedAt }) => endedAt >= now)).toBe(true)
  expect(upcoming.map(({ state }) => state)).not.toContain('canceled')
  expect(upcoming.every(({ roomUrl }) => roomUrl !== '')).toBe(true)
  const next = (await ask(Meetings, { filter, last: 1 })).viewer?.consultingMeetings.nodes
  expect(next).toEqual(upcoming.slice(-1))
  const past = { endedBefore: now }
  const history = (await ask(Meetings, { filter: past })).viewer?.consultingMeetings.nodes ?? []
  expect(history.length).toBeGreaterThan(3)
  expect(history.every(({ roomUrl }) => roomUrl === '')).toBe(true)
})

const Syllabus = graphql(`
  query Syllabus {
    viewer {
      enrolledCourses(first: 50) {
        nodes {
          slug expireDate hasLifetimeAccess
          lastWatchedLecture { lectureId positionSeconds }
          detailProgress { completedLectures totalLectures percent }
          sections { title lectures { id title state isLocked unlockAt duration } }
        }
      }
    }
  }
`)

test('the syllabus with the progress in each lecture', async () => {
  const courses = (await ask(Syllabus, {})).viewer?.enrolledCourses.nodes ?? []
  expect(courses.length).toBeGreaterThanOrEqual(3)
  for (const course of courses) {
    const lectures = course.sections.flatMap((section) => section.lectures)
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
  const all = courses.flatMap(({ sections }) => sections.flatMap(({ lectures }) => lectures))
  expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['unread', 'read', 'completed']))
  expect(all.some(({ unlockAt }) => unlockAt !== null)).toBe(true)
})

const Inbox = graphql(`
  query Inbox {
    viewer { unreadNotificationCount notifications { nodes { id title readAt } } }
  }
`)
const MarkRead = graphql(`
  mutation MarkRead($id: ID!) {
    markNotificationRead(id: $id) { unreadNotificationCount }
  }
`)
const MarkAllRead = graphql(`
  mutation MarkAllRead {
    markAllNotificationsRead { markedCount unreadNotificationCount }
  }
`)

test('the inbox: read it, mark one, mark the rest', async () => {
  const { viewer } = await ask(Inbox, {})
  const unread = viewer?.notifications.nodes.filter(({ readAt }) => readAt === null) ?? []
  const count = viewer?.unreadNotificationCount ?? 0
  expect(unread.length).toBeGreaterThan(1)
  const { markNotificationRead } = await ask(MarkRead, { id: unread[0]?.id ?? '' })
  expect(markNotificationRead?.unreadNotificationCount).toBe(count - 1)
  const { markAllNotificationsRead } = await ask(MarkAllRead, {})
  expect(markAllNotificationsRead).toEqual({ markedCount: count - 1, unreadNotificationCount: 0 })
})

test('a call that the schema does not allow does not compile', async () => {
  // @ts-expect-error: the id is required, and the client's types say so
  await expect(ask(MarkRead, {})).rejects.toThrow(/required type/)
})
