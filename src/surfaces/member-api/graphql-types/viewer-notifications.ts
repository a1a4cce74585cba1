import {
  countInboxOf,
  countUnreadOf,
  type InboxEntry,
  inboxOf,
} from '../../../domain/notifications/inbox.ts'
import {
  type Channel,
  type Subscription,
  subscriptionsOf,
} from '../../../domain/notifications/subscriptions.ts'
import type { Builder, Ref, Viewer } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import { LONG_TEXT } from '../documents/prices.ts'
import { defineEnum } from './scalars.ts'

const MAXIMUM = 100

export function addNotifications(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  notification: Ref<InboxEntry>,
  subscription: Ref<Subscription>,
): void {
  const connection = defineConnection(
    builder,
    pageInfo,
    'Notification',
    notification,
    'notifications',
  )
  builder.objectFields(viewer, (t) => ({
    notifications: t.field({
      type: connection,
      description: 'The inbox of the viewer, newest first, read and unread.',
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { schoolDb: db }) =>
        openConnection(
          {
            name: 'notifications',
            maximum: MAXIMUM,
            read: (range) => inboxOf(db, id, range),
            count: () => countInboxOf(db, id),
          },
          args,
        ),
    }),
    unreadNotificationCount: t.int({
      description: 'How many notifications are unread.',
      extensions: { cost: 10 },
      resolve: ({ id }, _args, { schoolDb: db }) => countUnreadOf(db, id),
    }),
    notificationSubscriptions: t.field({
      type: [subscription],
      description: 'Every topic on every channel, and whether the viewer wants it.',
      extensions: { usualLength: 12 },
      resolve: ({ id }, _args, { schoolDb: db }) => subscriptionsOf(db, id),
    }),
  }))
}

export function defineNotification(builder: Builder): Ref<InboxEntry> {
  return builder.objectRef<InboxEntry>('Notification').implement({
    description: 'An entry in the inbox of the viewer.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the notification, for markNotificationRead.' }),
      kind: t.exposeString('kind', {
        description: 'What it is about, such as course_updated. New kinds appear without notice.',
      }),
      title: t.exposeString('title', { description: 'Title, in plain text.' }),
      body: t.exposeString('body', {
        description: 'Text, plain; may be empty.',
        extensions: LONG_TEXT,
      }),
      url: t.string({
        nullable: true,
        description: 'Where it leads, an absolute URL; null if nowhere.',
        extensions: LONG_TEXT,
        resolve: ({ url }, _args, { school }) => (url?.startsWith('/') ? school.origin + url : url),
      }),
      createdAt: t.expose('createdAt', { type: 'UnixTime', description: 'When it came.' }),
      readAt: t.expose('readAt', {
        type: 'UnixTime',
        nullable: true,
        description: 'When it was first marked read; null while it is unread.',
      }),
    }),
  })
}

export function defineNotificationChannel(builder: Builder) {
  return defineEnum<Channel>(builder, 'NotificationChannel', 'How a member is told of something.', {
    email: 'By email.',
    in_app: 'In the inbox, which notifications lists.',
  })
}

export type NotificationChannelEnum = ReturnType<typeof defineNotificationChannel>

export function defineNotificationSubscription(
  builder: Builder,
  channel: NotificationChannelEnum,
): Ref<Subscription> {
  return builder.objectRef<Subscription>('NotificationSubscription').implement({
    description: 'Whether the viewer wants to hear of a topic on a channel.',
    fields: (t) => ({
      topic: t.exposeString('topic', {
        description: 'The topic, such as payments. New topics appear without notice.',
      }),
      channel: t.expose('channel', { type: channel, description: 'The channel.' }),
      enabled: t.exposeBoolean('enabled', {
        description: 'Whether it is wanted; it is, until the member says otherwise.',
      }),
    }),
  })
}
