import {
  countInboxOf,
  countUnreadOf,
  type InboxEntry,
  inboxOf,
} from '../../../domain/notifications/inbox.ts'
import { type Subscription, subscriptionsOf } from '../../../domain/notifications/subscriptions.ts'
import type { Builder, Ref } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import type { Viewer } from '../member-context.ts'

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
      resolve: ({ id }, args, { at }) =>
        openConnection(
          {
            name: 'notifications',
            maximum: MAXIMUM,
            read: (range) => inboxOf(at, id, range),
            count: () => countInboxOf(at, id),
          },
          args,
        ),
    }),
    unreadNotificationCount: t.int({
      description: 'How many notifications are unread.',
      extensions: { cost: 10 },
      resolve: ({ id }, _args, { at }) => countUnreadOf(at, id),
    }),
    notificationSubscriptions: t.field({
      type: [subscription],
      description: 'Every topic on every channel, and whether the viewer wants it.',
      extensions: { usualLength: 12 },
      resolve: ({ id }, _args, { at }) => subscriptionsOf(at, id),
    }),
  }))
}
