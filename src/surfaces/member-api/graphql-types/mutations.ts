import { type InboxEntry, markAllRead, markRead } from '../../../domain/notifications/inbox.ts'
import { type Subscription, setSubscription } from '../../../domain/notifications/subscriptions.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { type Builder, needsScope, type Ref } from '../builder.ts'
import { refusal } from '../graphql-refusal.ts'
import type { NotificationChannelEnum } from './viewer-notifications.ts'

/** All mutations need account:write. */
export function addMutations(
  builder: Builder,
  notification: Ref<InboxEntry>,
  subscription: Ref<Subscription>,
  channel: NotificationChannelEnum,
): void {
  const markedOne = defineMarkNotificationReadPayload(builder, notification)
  const markedAll = defineMarkAllNotificationsReadPayload(builder)
  const updated = defineUpdateNotificationSubscriptionPayload(builder, subscription)
  builder.mutationType({
    description:
      'What a token with account:write may change. Each mutation can be repeated without changing anything further.',
    fields: (t) => ({
      markNotificationRead: t.field({
        type: markedOne,
        nullable: true,
        description:
          'Marks one notification read; one that is read keeps its first readAt. An id that is not in the inbox of the viewer at this school is answered with null and an error of the code not_found. Needs account:write, and nothing else.',
        args: { id: t.arg.id({ required: true, description: 'Id of the notification.' }) },
        extensions: needsScope('account:write'),
        resolve: async (_root, { id }, { schoolDb: db, caller }) => {
          const marked = isUuid(id) ? await markRead(db, caller.person.id, id) : undefined
          if (marked === undefined) {
            throw refusal('not_found', 'The viewer has no notification with this id.', {
              argument: 'id',
            })
          }
          return { notification: marked.entry, unreadNotificationCount: marked.unread }
        },
      }),
      markAllNotificationsRead: t.field({
        type: markedAll,
        nullable: true,
        description:
          'Marks all notifications of the viewer at this school read. Needs account:write, and nothing else.',
        extensions: needsScope('account:write'),
        resolve: async (_root, _args, { schoolDb: db, caller }) => ({
          markedCount: await markAllRead(db, caller.person.id),
          // The statement marked all that it saw.
          unreadNotificationCount: 0,
        }),
      }),
      updateNotificationSubscription: t.field({
        type: updated,
        nullable: true,
        description:
          'Says whether the viewer wants to hear of a topic on a channel, from this school. A topic that does not exist is answered with null and an error of the code not_found. Needs account:write, and nothing else.',
        args: {
          topic: t.arg.string({
            required: true,
            description: 'A topic that notificationSubscriptions lists.',
          }),
          channel: t.arg({ type: channel, required: true, description: 'The channel.' }),
          enabled: t.arg.boolean({ required: true, description: 'Whether it is wanted.' }),
        },
        extensions: needsScope('account:write'),
        resolve: async (_root, change, { schoolDb: db, caller }) => {
          const set = await setSubscription(db, caller.person.id, change)
          if (set === undefined) {
            throw refusal(
              'not_found',
              'There is no such topic: use one that notificationSubscriptions of viewer lists.',
              { argument: 'topic' },
            )
          }
          return { subscription: set }
        },
      }),
    }),
  })
}

function defineMarkNotificationReadPayload(builder: Builder, notification: Ref<InboxEntry>) {
  return builder
    .objectRef<{ notification: InboxEntry; unreadNotificationCount: number }>(
      'MarkNotificationReadPayload',
    )
    .implement({
      description: 'What markNotificationRead answers.',
      fields: (t) => ({
        notification: t.expose('notification', {
          type: notification,
          description: 'The notification, now read.',
        }),
        unreadNotificationCount: t.exposeInt('unreadNotificationCount', {
          description: 'How many are still unread.',
        }),
      }),
    })
}

function defineMarkAllNotificationsReadPayload(builder: Builder) {
  return builder
    .objectRef<{ markedCount: number; unreadNotificationCount: number }>(
      'MarkAllNotificationsReadPayload',
    )
    .implement({
      description: 'What markAllNotificationsRead answers.',
      fields: (t) => ({
        markedCount: t.exposeInt('markedCount', {
          description: 'How many were unread before; 0 if it is repeated.',
        }),
        unreadNotificationCount: t.exposeInt('unreadNotificationCount', {
          description: 'How many are unread now.',
        }),
      }),
    })
}

function defineUpdateNotificationSubscriptionPayload(
  builder: Builder,
  subscription: Ref<Subscription>,
) {
  return builder
    .objectRef<{ subscription: Subscription }>('UpdateNotificationSubscriptionPayload')
    .implement({
      description: 'What updateNotificationSubscription answers.',
      fields: (t) => ({
        subscription: t.expose('subscription', {
          type: subscription,
          description: 'The subscription as it is now.',
        }),
      }),
    })
}
