import { chapter } from '../chapter.ts'

export const notifications = [
  chapter('member-api', 'Member API', {
    'notification.read-scope':
      'The inbox, its unread count and the subscriptions are read with account:read.',
    'notification.mutations':
      'account:write allows marking one notification read, marking all, and subscribing.',
    'notification.nothing-else-writable':
      'The schema has three mutations; no other state of a member can be written.',
  }),

  chapter('member-api', 'Scopes', {
    'scope.account-read': 'account:read reads the account.',
    'scope.account-write': 'account:write allows the three notification mutations.',
  }),

  chapter('member-api', 'product decision', {
    'member.notifications.email':
      'A notification goes by the channels that the member left on: the inbox, an email, or both.',
    'member.notifications.unsubscribe':
      'Each email with notifications can be ended by one POST to a link, for its topic and person alone (RFC 8058).',
    'notification.fields':
      'A notification has id, kind and title, body and url, createdAt and readAt.',
    'notification.connection': 'notifications is a connection like the others.',
    'notification.subscription.fields': 'A subscription has topic, channel and enabled.',
    'notification.subscription.channels': 'channel is email or in_app.',
    'notification.mark-read':
      'markNotificationRead(id) returns the notification and the remaining unread count.',
    'notification.mark-all':
      'markAllNotificationsRead returns the number that it marked and the unread count.',
    'notification.subscribe':
      'updateNotificationSubscription(topic, channel, enabled) returns the subscription.',
    'notification.payload.write-alone':
      'The result of a mutation is readable with only account:write.',
    'notification.idempotent': 'Repeating a mutation changes nothing further.',
    'notification.others': 'The notification of another member is not found.',
  }),
] as const
