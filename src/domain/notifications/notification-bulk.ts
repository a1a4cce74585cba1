import { sql } from 'kysely'
import { z } from 'zod'
import { byEmail } from '../bulk/stand-in.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { id, line, text, time, utc } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'

/** Members follow it, so nothing that a browser would run. */
const address = z
  .string()
  .max(2000)
  .regex(
    /^(https?:\/\/[^\s/]|\/(?!\/))\S*$/,
    'Write an address with https://, or a path with one /.',
  )
  .nullable()

const notificationSchema = z
  .strictObject({
    object: z.literal('notification'),
    id,
    member_id: id,
    kind: z.string().regex(/^[a-z_]{1,64}$/, 'Use up to 64 small letters and underscores.'),
    title: line(300),
    body: text(0, 10_000),
    url: z.string().nullable(),
    created_at: utc,
    read_at: utc.nullable(),
  })
  .meta({ id: 'Notification' })

const notifications: Resource<typeof notificationSchema> = {
  object: 'notification',
  schema: notificationSchema,
  rows: (at) => sql`
    select n.id, n.user_id as member_id, n.kind, n.title, n.body, n.url, n.created_at, n.read_at
    from notifications n where n.school_id = ${at.schoolId}`,
}

const { kind, title, body } = notificationSchema.shape

export const notificationKind = tableKind({
  name: 'notifications',
  about: 'What is in members’ inboxes.',
  of: notifications,
  scopes: {},
  example: {
    external_id: 'news-1',
    member_id: EXAMPLE.student,
    kind: 'announcement',
    title: 'The new term',
  },
  table: 'notifications',
  columns: {
    member_id: { schema: id, needed: true, fixed: true },
    kind: { schema: kind, needed: true },
    title: { schema: title, needed: true },
    body: { schema: body, default: '' },
    url: { schema: address },
    created_at: { schema: time, note: 'now unless given' },
    read_at: { schema: time.nullable(), note: 'empty while it is unread' },
  },
  stored: { member_id: 'user_id' },
  now: ['created_at'],
  standIns: { member_email: byEmail('member_id') },
})
