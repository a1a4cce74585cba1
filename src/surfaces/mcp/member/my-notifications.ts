import { z } from 'zod'
import { TOPICS } from '../../../domain/notifications/causes.ts'
import {
  countUnreadOf,
  type InboxEntry,
  inboxOf,
  markAllRead,
  markRead,
} from '../../../domain/notifications/inbox.ts'
import {
  CHANNELS,
  setSubscription,
  subscriptionsOf,
} from '../../../domain/notifications/subscriptions.ts'
import type { School } from '../../../domain/schools/school.ts'
import { nextCursor, pageInput, readPage } from '../paging.ts'
import { inShape, maybeTime, READS, SETS, scopedTool, ToolProblem, time, words } from '../tool.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

const notification = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  url: z.string().nullable(),
  createdAt: time,
  readAt: maybeTime,
})

function item(school: School, entry: InboxEntry): z.input<typeof notification> {
  const { url } = entry
  return inShape(notification, {
    ...entry,
    url: url?.startsWith('/') ? school.origin + url : url,
  })
}

const unreadNotificationCount = z.number().int()

export const myNotifications = scopedTool({
  name: 'my_notifications',
  title: 'My notifications',
  description:
    'The inbox of the signed-in person, newest first, and how many entries are unread. Reading it marks nothing as read.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'notifications',
  changedBy: ['mark_notification_read', 'mark_all_notifications_read'],
  input: z.strictObject(pageInput),
  output: z.object({
    notifications: z.array(notification),
    unreadNotificationCount,
    nextCursor,
    graphql: graphqlLink,
  }),
  run: async ({ db, caller, school }, page) => {
    const [found, unread] = await Promise.all([
      readPage('my_notifications', page, (range) => inboxOf(db, caller.person.id, range)),
      countUnreadOf(db, caller.person.id),
    ])
    const items = found.rows.map((entry) => item(school, entry))
    const graphql = linkTo(
      school,
      '{ viewer { notifications { nodes { id kind title body url createdAt readAt } } unreadNotificationCount } }',
    )
    return found.answer(items, (notifications, nextCursor) => ({
      notifications,
      unreadNotificationCount: unread,
      nextCursor,
      graphql,
    }))
  },
})

const subscription = z.object({
  topic: z.string(),
  channel: z.enum(CHANNELS),
  enabled: z.boolean(),
})

export const myNotificationSubscriptions = scopedTool({
  name: 'my_notification_subscriptions',
  title: 'What I am notified about',
  description:
    'Every topic on every channel, and whether the signed-in person wants to hear of it. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'notifications',
  changedBy: ['update_notification_subscription'],
  input: z.strictObject({}),
  output: z.object({ subscriptions: z.array(subscription), graphql: graphqlLink }),
  run: async ({ db, caller, school }) => ({
    subscriptions: await subscriptionsOf(db, caller.person.id),
    graphql: linkTo(school, '{ viewer { notificationSubscriptions { topic channel enabled } } }'),
  }),
})

export const markNotificationRead = scopedTool({
  name: 'mark_notification_read',
  title: 'Mark a notification as read',
  description:
    'Changes the inbox of the signed-in person: marks one notification as read. No tool makes it unread again.',
  annotations: SETS,
  scopes: ['account:write'],
  about: 'notifications',
  input: z.strictObject({ id: z.uuid().describe('id from my_notifications') }),
  output: z.object({ notification, unreadNotificationCount, graphql: graphqlLink }),
  run: async ({ db, caller, school }, { id }) => {
    const marked = await markRead(db, caller.person.id, id)
    if (marked === undefined) {
      throw new ToolProblem(
        'The person has no such notification. my_notifications gives ids.',
        'not_found',
      )
    }
    return {
      notification: item(school, marked.entry),
      unreadNotificationCount: marked.unread,
      graphql: linkTo(
        school,
        `mutation { markNotificationRead(id: "${marked.entry.id}") { notification { id kind title body url createdAt readAt } unreadNotificationCount } }`,
      ),
    }
  },
})

export const markAllNotificationsRead = scopedTool({
  name: 'mark_all_notifications_read',
  title: 'Mark all notifications as read',
  description:
    'Changes the inbox of the signed-in person: marks everything unread as read. No tool makes it unread again.',
  annotations: SETS,
  scopes: ['account:write'],
  about: 'notifications',
  input: z.strictObject({}),
  output: z.object({
    markedCount: z.number().int(),
    unreadNotificationCount,
    graphql: graphqlLink,
  }),
  run: async ({ db, caller, school }) => ({
    markedCount: await markAllRead(db, caller.person.id),
    unreadNotificationCount: await countUnreadOf(db, caller.person.id),
    graphql: linkTo(
      school,
      'mutation { markAllNotificationsRead { markedCount unreadNotificationCount } }',
    ),
  }),
})

export const updateNotificationSubscription = scopedTool({
  name: 'update_notification_subscription',
  title: 'Change what I am notified about',
  description:
    'Changes whether the signed-in person hears of a topic on a channel. It can be changed back in the same way.',
  annotations: SETS,
  scopes: ['account:write'],
  about: 'notifications',
  input: z.strictObject({
    topic: words(64).describe(`such as ${TOPICS.join(', ')}`),
    channel: z.enum(CHANNELS),
    enabled: z.boolean(),
  }),
  output: z.object({ subscription, graphql: graphqlLink }),
  run: async ({ db, caller, school }, wanted) => {
    const set = await setSubscription(db, caller.person.id, wanted)
    if (set === undefined) {
      throw new ToolProblem(
        `There is no topic “${wanted.topic}”. my_notification_subscriptions lists them.`,
        'not_found',
      )
    }
    const { topic, channel, enabled } = set
    return {
      subscription: set,
      graphql: linkTo(
        school,
        `mutation { updateNotificationSubscription(topic: ${JSON.stringify(topic)}, channel: ${channel}, enabled: ${enabled}) { subscription { topic channel enabled } } }`,
      ),
    }
  },
})
