import { sql } from 'kysely'
import { z } from 'zod'
import { byEmail } from '../bulk/reference-column.ts'
import { columnsOf, requireMembers } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { TOPICS } from './causes.ts'
import {
  listNotifications,
  notificationFields,
  notificationRules,
  notifications,
} from './notification-operations.ts'
import { CHANNELS } from './subscriptions.ts'

export const notificationKind = tableKind({
  name: 'notifications',
  about: 'The notifications in members’ inboxes.',
  of: notifications,
  list: listNotifications,
  scopes: {},
  example: { external_id: 'news-1', member_id: EXAMPLE.student, title: 'The new term' },
  table: 'notifications',
  columns: columnsOf(notificationFields, {
    member_id: { fixed: true },
    read_at: { note: 'empty if it is unread' },
  }),
  stored: { member_id: 'user_id' },
  independent: true,
  references: { member_email: byEmail('member_id') },
  rules: notificationRules,
  inspect: (tx, rows) => requireMembers(tx, rows, 'member_id'),
})

const subscriptionSchema = z
  .strictObject({
    object: z.literal('notification_subscription'),
    member_id: id,
    topic: z.enum(TOPICS),
    channel: z.enum(CHANNELS),
    enabled: z.boolean(),
  })
  .meta({ id: 'NotificationSubscription' })

const subscriptions: Resource<typeof subscriptionSchema> = {
  object: 'notification_subscription',
  schema: subscriptionSchema,
  rows: (db) => sql`
    select s.user_id as member_id, s.topic, s.channel, s.enabled
    from notification_subscriptions s where s.school_id = ${db.schoolId}`,
}

const NAMED = ['member_id', 'topic', 'channel']
const { topic, channel, enabled } = subscriptionSchema.shape

/** People who unsubscribed in another system stay unsubscribed here. */
export const notificationSubscriptionKind = tableKind({
  name: 'notification-subscriptions',
  about: 'What members turned off or on; everything without a row is on.',
  of: subscriptions,
  scopes: {},
  notInAdmin:
    'Members choose for themselves, and only a move from another system brings what they chose.',
  example: {
    member_id: EXAMPLE.student,
    topic: 'announcements',
    channel: 'email',
    enabled: false,
  },
  table: 'notification_subscriptions',
  key: NAMED,
  natural: NAMED,
  named: 'the member, the topic and the channel',
  columns: {
    member_id: { schema: id, needed: true, fixed: true },
    topic: { schema: topic, needed: true, fixed: true },
    channel: { schema: channel, needed: true, fixed: true },
    enabled: { schema: enabled, needed: true },
  },
  stored: { member_id: 'user_id' },
  independent: true,
  references: { member_email: byEmail('member_id') },
  inspect: (tx, rows) => requireMembers(tx, rows, 'member_id'),
})
