import { byEmail } from '../bulk/reference-column.ts'
import { columnsOf, requireMembers } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/operation.ts'
import {
  listNotifications,
  notificationFields,
  notificationRules,
  notifications,
} from './notification-operations.ts'

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
    created_at: { note: 'now by default' },
    read_at: { note: 'empty if it is unread' },
  }),
  stored: { member_id: 'user_id' },
  independent: true,
  now: ['created_at'],
  references: { member_email: byEmail('member_id') },
  rules: notificationRules,
  inspect: (tx, rows) => requireMembers(tx, rows, 'member_id'),
})
