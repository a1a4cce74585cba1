import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aNotification } from '../../support/inbox.ts'
import { ask, aToken, read } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()

const INBOX = `{ viewer { unreadNotificationCount
  notifications { nodes { id kind title body url createdAt readAt } } } }`
const MARK = `mutation ($id: ID!) { markNotificationRead(id: $id) {
  notification { id readAt } unreadNotificationCount } }`
const MARK_ALL = 'mutation { markAllNotificationsRead { markedCount unreadNotificationCount } }'
const SUBSCRIPTIONS = '{ viewer { notificationSubscriptions { topic channel enabled } } }'
const SUBSCRIBE = `mutation ($topic: String!, $channel: NotificationChannel!, $enabled: Boolean!) {
  updateNotificationSubscription(topic: $topic, channel: $channel, enabled: $enabled) {
    subscription { topic channel enabled } } }`

interface Inbox {
  readonly viewer: {
    readonly unreadNotificationCount: number
    readonly notifications: { readonly nodes: readonly Record<string, unknown>[] }
  }
}

describe('the inbox', () => {
  verifies(
    ['viewer.notifications', 'viewer.unread-count', 'notification.fields'],
    'newest first, with a count of unread ones and absolute URLs',
    async () => {
      const ada = await world.aMember(school)
      const createdAt = new Date(Date.UTC(2026, 3, 1))
      const old = await aNotification(school, ada, { createdAt, read: true, url: '/account' })
      const young = await aNotification(school, ada, { url: 'https://elsewhere.test/x' })
      const token = await aToken(world, school, ada)
      const { viewer } = await read<Inbox>(world, school, token, INBOX)
      expect(viewer.unreadNotificationCount).toBe(1)
      expect(viewer.notifications.nodes).toEqual([
        expect.objectContaining({ id: young, url: 'https://elsewhere.test/x', readAt: null }),
        {
          id: old,
          kind: 'course_updated',
          title: 'A notification',
          body: 'Something happened.',
          url: `${school.origin}/account`,
          createdAt: createdAt.getTime() / 1000,
          readAt: expect.any(Number),
        },
      ])
    },
  )
})

describe('marking read', () => {
  verifies(
    ['notification.mark-read', 'notification.idempotent', 'notification.mutations'],
    'one, twice: the second time changes nothing, also not the read time',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const id = await aNotification(school, ada)
      await aNotification(school, ada)
      const first = await ask(world, school, token, MARK, { id })
      expect(first.data).toEqual({
        markNotificationRead: {
          notification: { id, readAt: expect.any(Number) },
          unreadNotificationCount: 1,
        },
      })
      const longAgo = new Date(Date.UTC(2026, 0, 1))
      await school.db
        .update('notifications')
        .set({ read_at: longAgo })
        .where('id', '=', id)
        .execute()
      const second = await ask(world, school, token, MARK, { id })
      expect(second.data).toEqual({
        markNotificationRead: {
          notification: { id, readAt: longAgo.getTime() / 1000 },
          unreadNotificationCount: 1,
        },
      })
    },
  )

  verifies(
    ['notification.others', 'viewer.own-data-only'],
    'those of another member, of another school and unknown ones are not found, and stay unread',
    async () => {
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const token = await aToken(world, school, ada)
      const elsewhere = await world.aSchool()
      await world.aMember(elsewhere, ['student'], ada)
      const foreign = [
        await aNotification(school, ben),
        await aNotification(elsewhere, ada),
        '0190c0de-0000-7000-8000-000000000000',
        'no id at all',
        '0190c0de-0000-7000-8000-00000000000\0',
        '',
      ]
      const messages = new Set<string | undefined>()
      for (const id of foreign) {
        const { data, errors } = await ask(world, school, token, MARK, { id })
        expect(data).toEqual({ markNotificationRead: null })
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'not_found' })
        messages.add(errors?.[0]?.message)
      }
      expect(messages.size).toBe(1)
      const read = await world.database.db
        .selectFrom('notifications')
        .select('id')
        .where('id', 'in', foreign.slice(0, 2))
        .where('read_at', 'is not', null)
        .execute()
      expect(read).toEqual([])
    },
  )

  verifies(
    ['notification.mark-all', 'notification.idempotent'],
    'all, twice: the second time marks none',
    async () => {
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const token = await aToken(world, school, ada)
      for (let i = 0; i < 3; i++) await aNotification(school, ada)
      await aNotification(school, ada, { read: true })
      await aNotification(school, ben)
      const marked = async () => (await ask(world, school, token, MARK_ALL)).data
      expect(await marked()).toEqual({
        markAllNotificationsRead: { markedCount: 3, unreadNotificationCount: 0 },
      })
      expect(await marked()).toEqual({
        markAllNotificationsRead: { markedCount: 0, unreadNotificationCount: 0 },
      })
      const his = await aToken(world, school, ben)
      const { viewer } = await read<Inbox>(world, school, his, INBOX)
      expect(viewer.unreadNotificationCount).toBe(1)
    },
  )

  test('twenty requests at once give one read time, with one statement each', async () => {
    const ada = await world.aMember(school)
    const token = await aToken(world, school, ada)
    const id = await aNotification(school, ada)
    const statements = await world.database.statementsOf(async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(world, school, token, MARK, { id })),
      )
      expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
      expect(answers[0]?.errors).toBeUndefined()
    })
    expect(statements).toHaveLength(40)
  })

  test('several mutations of one document run in order', async () => {
    const ada = await world.aMember(school)
    const token = await aToken(world, school, ada)
    const ids = [await aNotification(school, ada), await aNotification(school, ada)]
    const query = `mutation { a: markNotificationRead(id: "${ids[0]}") { unreadNotificationCount }
      b: markNotificationRead(id: "${ids[1]}") { unreadNotificationCount }
      c: markAllNotificationsRead { markedCount } }`
    const { data } = await ask(world, school, token, query)
    expect(data).toEqual({
      a: { unreadNotificationCount: 1 },
      b: { unreadNotificationCount: 0 },
      c: { markedCount: 0 },
    })
  })
})

describe('subscriptions', () => {
  interface Subscriptions {
    readonly viewer: { readonly notificationSubscriptions: readonly Record<string, unknown>[] }
  }

  verifies(
    [
      'viewer.notification-subscriptions',
      'notification.subscription.fields',
      'notification.subscription.channels',
      'notification.subscribe',
      'notification.idempotent',
    ],
    'every topic is on until the member switches it off',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const all = async () =>
        (await read<Subscriptions>(world, school, token, SUBSCRIPTIONS)).viewer
          .notificationSubscriptions
      const before = await all()
      expect(before).toHaveLength(12)
      expect(before.every(({ enabled }) => enabled)).toBe(true)
      const wish = { topic: 'payments', channel: 'email', enabled: false }
      for (let i = 0; i < 2; i++) {
        const { data } = await ask(world, school, token, SUBSCRIBE, wish)
        expect(data).toEqual({ updateNotificationSubscription: { subscription: wish } })
      }
      expect((await all()).filter(({ enabled }) => !enabled)).toEqual([wish])
      await ask(world, school, token, SUBSCRIBE, { ...wish, enabled: true })
      expect(await all()).toEqual(before)
    },
  )

  test('a topic that does not exist is not found, and leaves no row', async () => {
    const ada = await world.aMember(school)
    const token = await aToken(world, school, ada)
    for (const topic of ['', 'made_up', 'Payments', 'a\0b', 'payments\0', "'; drop table users"]) {
      const wish = { topic, channel: 'email', enabled: false }
      const { data, errors } = await ask(world, school, token, SUBSCRIBE, wish)
      expect(data).toEqual({ updateNotificationSubscription: null })
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'not_found', argument: 'topic' })
    }
    const rows = await school.db
      .from('notification_subscriptions')
      .select('topic')
      .where('user_id', '=', ada.id)
      .execute()
    expect(rows).toEqual([])
  })
})
