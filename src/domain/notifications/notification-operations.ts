import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { dateOrNull, id, line, text, time, utc, webAddress } from '../operation/fields.ts'
import { filter, listOperation, timeFilters } from '../operation/list-operation.ts'
import { createOperation, readOperation } from '../operation/object-operations.ts'
import { invalid } from '../operation/refusal.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { containing } from '../operation/wire-sql.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import { checkMembers } from '../people/check-members.ts'
import { memberSchema, members } from '../people/member-resource.ts'

const kind = z
  .string()
  .regex(/^[a-z_]{1,64}$/, 'Use lower-case letters and underscores, such as meeting_confirmed.')

/** A path must have one slash: two would lead to whatever host follows them. */
const schoolPath = z
  .string()
  .max(2000)
  .regex(/^\/(?![/\\])[^\u0000-\u0020\\]*$/)

export const fields = {
  kind,
  title: line(300),
  body: text(0, 10_000),
  url: z
    .union([schoolPath, webAddress], {
      error: 'Write a path of this school such as /account, or an address with https://.',
    })
    .nullable(),
}

const notificationSchema = z
  .strictObject({
    object: z.literal('notification'),
    id,
    member_id: id,
    ...fields,
    url: z.string().nullable(),
    created_at: utc,
    read_at: utc.nullable(),
    member: memberSchema.nullable().optional(),
  })
  .meta({ id: 'Notification' })

export const notifications: Resource<typeof notificationSchema> = {
  object: 'notification',
  schema: notificationSchema,
  rows: (at) => sql`
    select n.id, n.user_id as member_id, n.kind, n.title, n.body, n.url, n.created_at, n.read_at
    from notifications n where n.school_id = ${at.schoolId}`,
  expansions: { member: expansionOf(members, 'member_id', ['members:read']) },
}

export const listNotifications = listOperation({
  name: 'notifications.list',
  title: 'List notifications',
  summary: 'What members were told, and whether they read it.',
  ...WITHOUT_SCOPE,
  of: notifications,
  filters: {
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    kind: filter(kind, (value) => sql`r.kind = ${value}`),
    read: filter(z.boolean(), (read) =>
      read ? sql`r.read_at is not null` : sql`r.read_at is null`,
    ),
    search: filter(line(100), (value) => sql`r.title ilike ${containing(value)}`),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time' },
  defaultSort: '-created_at',
})

export const readNotification = readOperation({
  name: 'notifications.read',
  title: 'Read a notification',
  summary: 'One notification by its id.',
  ...WITHOUT_SCOPE,
  of: notifications,
})

export const sendNotification = createOperation({
  name: 'notifications.send',
  title: 'Send a notification',
  summary: 'Puts an entry into a member’s inbox.',
  ...WITHOUT_SCOPE,
  of: notifications,
  fields: {
    member_id: id,
    kind: fields.kind.default('announcement'),
    title: fields.title,
    body: fields.body.default(''),
    url: fields.url.default(null),
    created_at: time.optional().meta({ description: 'For entries from another system.' }),
    read_at: time.nullable().default(null),
  },
  async create(tx, _caller, { member_id, created_at, read_at, ...columns }) {
    await checkMembers(tx, 'member_id', [member_id])
    const sent = created_at === undefined ? new Date() : new Date(created_at)
    const read = dateOrNull(read_at)
    if (read !== null && read < sent) {
      throw invalid('read_at', 'before_created', 'Nobody reads a notification before it is sent.')
    }
    const made = uuidv7()
    const row = { ...columns, id: made, user_id: member_id, created_at: sent, read_at: read }
    await tx.insert('notifications', row).execute()
    return made
  },
})
