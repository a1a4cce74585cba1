import type { Channel, Subscription } from '../../../domain/notifications/subscriptions.ts'
import type { Builder, Ref } from '../builder.ts'
import { defineEnum } from './enums.ts'

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
