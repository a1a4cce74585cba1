import type { InboxEntry } from '../../../domain/notifications/inbox.ts'
import type { Builder, Ref } from '../builder.ts'
import { LONG_TEXT } from '../documents/prices.ts'

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
