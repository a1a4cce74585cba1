import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import { aPair } from '../../support/client-like.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { postGraphQL } from '../../support/member-api.ts'
import { removeSchool } from '../../support/oauth-world.ts'
import { readAll } from './read-all.ts'
import {
  callTool,
  demoSchoolsAt,
  demoToken,
  post,
  request,
  toolNames,
  useTool,
} from './tool-endpoint.ts'

const world = await aDemoWorld()
const schoolOf = await demoSchoolsAt(world)
const demo = await schoolOf('demo')
const token = await demoToken(world, demo, 'ada@demo.test', 'account:read account:write')
const tokenOfBen = await demoToken(world, demo, 'ben@demo.test', 'account:read account:write')

type Row = Record<string, unknown>

const use = <T = Record<string, Row[]>>(name: string, given: object = {}) =>
  useTool<T>(world, demo, name, given, { token })

/** Runs the GraphQL query that the answer of a tool links to. */
async function followLink(answer: Row, field = 'viewer'): Promise<Row> {
  const { query } = answer.graphql as { query: string }
  const body = (await postGraphQL(world, demo, token, { query })).json()
  expect(body.errors).toBeUndefined()
  return body.data[field]
}

/** Tools write times as text, the Member API as seconds; everything else is the same. */
const seconds = (time: unknown): number | null =>
  typeof time === 'string' ? Math.floor(Date.parse(time) / 1000) : null

function withSeconds(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      /At$|Date$/.test(name)
        ? seconds(value)
        : typeof value === 'object' && value !== null && !Array.isArray(value)
          ? withSeconds(value as Row)
          : value,
    ]),
  )
}

describe('the same answers as the Member API', () => {
  verifies(['mcp.same-answers', 'mcp.member-token'], 'courses and progress', async () => {
    const answer = await use('my_courses', { limit: 20 })
    const viewer = (await followLink(answer)) as { enrolledCourses: { nodes: Row[] } }
    const courses = (answer.courses ?? []).map(({ nextLecture, ...course }) => withSeconds(course))
    expect(courses.length).toBeGreaterThan(3)
    expect(courses).toEqual(viewer.enrolledCourses.nodes)
  })

  verifies('mcp.same-answers', 'the whole syllabus of a course', async () => {
    const answer = await use('my_course', { slug: 'practical-typescript' })
    const viewer = (await followLink(answer)) as { enrolledCourses: { nodes: Row[] } }
    const node = viewer.enrolledCourses.nodes.find(({ slug }) => slug === 'practical-typescript')
    const sections = node?.sections as { title: string; lectures: Row[] }[]
    const expected = sections.flatMap(({ title, lectures }) =>
      lectures.map((lecture) => ({ ...lecture, section: title })),
    )
    expect(expected.length).toBeGreaterThanOrEqual(40)
    expect((answer.lectures ?? []).map(withSeconds)).toEqual(expected)
  })

  verifies('mcp.same-answers', 'payments, with the instructions for open ones', async () => {
    const answer = await use('my_payments', { limit: 50 })
    const viewer = (await followLink(answer)) as { payments: { nodes: Row[] } }
    const payments = (answer.payments ?? []).map(withSeconds)
    expect(payments).toHaveLength(50)
    expect(payments).toMatchObject(viewer.payments.nodes)
    expect(payments.some((row) => row.paymentState === 'pending' && row.codeNo !== null)).toBe(true)
  })

  verifies('mcp.same-answers', 'upcoming meetings, the next first', async () => {
    const answer = await use('my_schedule', { limit: 10 })
    const viewer = (await followLink(answer)) as { consultingMeetings: { nodes: Row[] } }
    const meetings = (answer.meetings ?? []).map(withSeconds)
    expect(meetings.length).toBeGreaterThan(3)
    expect(meetings).toEqual(viewer.consultingMeetings.nodes.reverse())
    expect(meetings.map(({ state }) => state)).not.toContain('canceled')
  })

  for (const [tool, list] of [
    ['my_digital_products', 'digitalProducts'],
    ['my_event_registrations', 'eventRegistrations'],
    ['my_notifications', 'notifications'],
  ] as const) {
    verifies('mcp.same-answers', `${list}`, async () => {
      const answer = await use(tool, { limit: 20 })
      const viewer = (await followLink(answer)) as Record<string, { nodes: Row[] }>
      const rows = (answer[list] ?? []).map(withSeconds)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows).toMatchObject(viewer[list]?.nodes ?? [])
    })
  }

  verifies(['mcp.same-answers', 'mcp.by-user-id'], 'the signed-in person', async () => {
    const answer = await use<Row>('my_account')
    expect(await followLink(answer)).toMatchObject({
      id: answer.id,
      name: answer.name,
      email: 'ada@demo.test',
    })
  })
})

describe('a member', () => {
  test('reads a long list page by page, each row once', async () => {
    const seen: unknown[] = []
    let cursor: string | null | undefined
    do {
      const given = cursor === undefined ? {} : { cursor }
      const page = await use<{ payments: Row[]; nextCursor: string | null }>('my_payments', given)
      seen.push(...page.payments.map(({ tradeNo }) => tradeNo))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen.length).toBeGreaterThanOrEqual(60)
    expect(new Set(seen).size).toBe(seen.length)
  })

  verifies('mcp.answers.cursor', 'reads every list in any length, each row once', async () => {
    for (const [tool, list, key] of [
      ['my_courses', 'courses', 'slug'],
      ['my_payments', 'payments', 'tradeNo'],
      ['my_schedule', 'meetings', 'id'],
      ['my_digital_products', 'digitalProducts', 'id'],
      ['my_event_registrations', 'eventRegistrations', 'id'],
      ['my_notifications', 'notifications', 'id'],
    ] as const) {
      const call = { world, school: demo, token, tool, given: { limit: 50 } }
      const keysIn = async (max: number): Promise<unknown[]> =>
        (await readAll<Record<string, Row[]>>(call, max)).flatMap((answer) =>
          (answer[list] ?? []).map((row) => row[key]),
        )
      const whole = await keysIn(200_000)
      expect(new Set(whole).size, tool).toBe(whole.length)
      expect(whole.length, tool).toBeGreaterThan(0)
      expect(await keysIn(4000), tool).toEqual(whole)
    }
  })

  test('reads past meetings, latest first, with canceled ones on request', async () => {
    const { meetings = [] } = await use('my_schedule', {
      when: 'past',
      includeCanceled: true,
      limit: 50,
    })
    const starts = meetings.map(({ startedAt }) => String(startedAt))
    expect(starts).toEqual([...starts].sort().reverse())
    expect(meetings.some(({ state }) => state === 'canceled')).toBe(true)
    expect(
      meetings.every(({ roomUrl, endedAt }) => roomUrl === '' || String(endedAt) > now()),
    ).toBe(true)
  })

  test('cannot read data of another member', async () => {
    const mine = await use('my_payments', { limit: 50 })
    const theirs = await useTool<Record<string, Row[]>>(
      world,
      demo,
      'my_payments',
      { limit: 50 },
      { token: tokenOfBen },
    )
    const trades = new Set((mine.payments ?? []).map(({ tradeNo }) => tradeNo))
    expect((theirs.payments ?? []).filter(({ tradeNo }) => trades.has(tradeNo))).toEqual([])
    const { notifications = [] } = await use('my_notifications')
    const id = notifications[0]?.id
    const answer = await callTool(
      world,
      demo,
      'mark_notification_read',
      { id },
      { token: tokenOfBen },
    )
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain('no such notification')
  })

  test('gets the list of their courses when they ask for one they do not have', async () => {
    const answer = await callTool(world, demo, 'my_course', { slug: 'no-such' }, { token })
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain('my_courses')
  })

  test('marks one notification as read, then all', async () => {
    const before = await use<{ notifications: Row[]; unreadNotificationCount: number }>(
      'my_notifications',
      { limit: 50 },
    )
    const unread = before.notifications.find(({ readAt }) => readAt === null)
    const one = await use<Row>('mark_notification_read', { id: unread?.id })
    expect(one.unreadNotificationCount).toBe(before.unreadNotificationCount - 1)
    const again = await followLink(one, 'markNotificationRead')
    expect(again.notification).toEqual(withSeconds(one.notification as Row))
    const all = await use<Row>('mark_all_notifications_read')
    expect(all).toMatchObject({
      markedCount: before.unreadNotificationCount - 1,
      unreadNotificationCount: 0,
    })
    expect(await followLink(all, 'markAllNotificationsRead')).toEqual({
      markedCount: 0,
      unreadNotificationCount: 0,
    })
  })

  test('changes subscriptions, only for topics that exist', async () => {
    const wanted = { topic: 'courses', channel: 'email', enabled: false }
    const changed = await use<Row>('update_notification_subscription', wanted)
    expect(changed.subscription).toEqual(wanted)
    const again = await followLink(changed, 'updateNotificationSubscription')
    expect(again).toEqual({ subscription: wanted })
    const { subscriptions } = await use('my_notification_subscriptions')
    expect(subscriptions).toContainEqual(wanted)
    for (const topic of ['made_up', 'a\0b']) {
      const made = { ...wanted, topic }
      const answer = await callTool(world, demo, 'update_notification_subscription', made, {
        token,
      })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).not.toContain('fault on its side')
    }
  })
})

test('at an older origin a member has only the tools that match its Member API', async () => {
  const heritage = await schoolOf('heritage')
  const older = await demoToken(world, heritage, 'ada@demo.test', 'account:read')
  expect(await toolNames(world, heritage, { token: older })).toContain('my_courses')
  const answer = await useTool<{ courses: Row[] }>(
    world,
    heritage,
    'my_courses',
    {},
    { token: older },
  )
  expect(answer.courses.length).toBeGreaterThan(0)
})

function now(): string {
  return new Date().toISOString()
}

test('a token without school_id, as old ones are, lists no member tools and opens none, like at the Member API', async () => {
  const school = await world.aSchool()
  const client = await world.aPublicClient(school)
  const pair = await aPair(world, school, client, await world.aMember(school))
  const bound = await toolNames(world, school, { token: pair.access_token })
  expect(bound).toContain('my_payments')
  await removeSchool(world, pair)
  const unbound = await toolNames(world, school, { token: pair.access_token })
  expect(unbound.filter((name) => name.startsWith('my_') || name.includes('notification'))).toEqual(
    [],
  )
  expect(unbound).toContain('search')
  const call = request('tools/call', { name: 'my_payments', arguments: {} })
  const answer = await post(world, school, call, { token: pair.access_token })
  expect(answer.statusCode).toBe(401)
  expect(answer.headers['www-authenticate']).toContain('error="invalid_token"')
  expect(answer.headers['www-authenticate']).toContain('resource_metadata=')
  // Operator pairs never have one.
  const operator = await anOperator(world, school, { scopes: 'courses:read' })
  expect(await toolNames(world, school, { token: operator.accessToken })).toContain('read_teaching')
})
