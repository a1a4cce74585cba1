import {
  listNotifications,
  readNotification,
  sendNotification,
} from '../../../../domain/notifications/notification-operations.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { Badge } from '../../../../foundation/html/site-components.tsx'
import { listPlan } from '../crud/list-plan.ts'
import {
  address,
  FORMER_MEMBER,
  inWords,
  moment,
  nameOf,
  person,
  text,
} from '../crud/object-table.tsx'
import { defineResource } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'
import { aPerson } from './people-fields.ts'

const state: Show<OutputOf<typeof readNotification>> = (notification) =>
  notification.read_at === null ? (
    <Badge tone="waiting">Unread</Badge>
  ) : (
    <Badge tone="good">Read</Badge>
  )

export const notifications = defineResource({
  path: 'notifications',
  one: 'notification',
  many: 'Notifications',
  lead: 'What members found in their inbox, and whether they read it.',
  list: listPlan({
    operation: listNotifications,
    expand: ['member'],
    columns: [
      { label: 'Title', show: text('title') },
      { label: 'Member', show: nameOf('member', 'name', FORMER_MEMBER) },
      { label: 'State', show: state },
      { label: 'Sent', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Name or email of the member',
    filters: [{ name: 'read', label: 'Read' }],
    sorts: ['-created_at', 'created_at'],
  }),
  read: readNotification,
  expand: ['member'],
  name: (notification) => notification.title,
  badges: state,
  facts: [
    { label: 'To', show: person('member', 'members') },
    { label: 'About', show: (notification) => inWords(notification.kind) },
    { label: 'Text', show: text('body', 10_000), wide: true },
    { label: 'Leads to', show: address('url') },
    { label: 'Sent', show: moment('created_at') },
    { label: 'Read', show: moment('read_at') },
  ],
  fields: [
    aPerson('member_id', 'Email of the member', listMembers),
    { name: 'title', label: 'Title' },
    { name: 'body', label: 'Text', rows: 5, hint: 'Plain text.' },
    {
      name: 'url',
      label: 'Leads to',
      hint: 'A path of your school, such as /account, or a whole web address.',
    },
  ],
  create: sendNotification,
  createLabel: 'Send a notification',
  createTells: true,
  actions: [],
})
