import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import {
  dateOrNull,
  id,
  line,
  text,
  time,
  utc,
  valueFields,
  webAddress,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { createOperation, objectOperations } from '../operation/object-operations.ts'
import { conflict } from '../operation/refusal.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { checkRow, type RowRules } from '../operation/row-rules.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { personOf } from '../people/find-people.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { checkMembers } from '../people/membership.ts'
import { type StoredMessage, sayMessage } from './causes.ts'
import { announcementOf, entriesFor } from './notify.ts'

/** A path begins with exactly one slash: after two, a browser reads the name of another host. */
const schoolPath = z
  .string()
  .max(2000)
  .regex(/^\/(?:[^/\u0000-\u0020\\][^\u0000-\u0020\\]*)?$/)

export const notificationFields = {
  member_id: id,
  kind: z
    .string()
    .regex(/^[a-z_]{1,64}$/, 'Use lower-case letters and underscores, such as meeting_confirmed.')
    .default('announcement'),
  title: line(300),
  body: text(0, 10_000).default(''),
  url: z
    .union([schoolPath, webAddress], {
      error:
        'Write a path of this school such as /account, or an address that begins with https://.',
    })
    .nullable()
    .default(null),
  created_at: time.optional().meta({ description: 'For notifications from another system.' }),
  read_at: time.nullable().default(null),
}

interface NotificationRow {
  readonly created_at?: string | undefined
  readonly read_at?: string | null | undefined
}

export const notificationRules: RowRules<NotificationRow> = [
  {
    field: 'read_at',
    code: 'before_created',
    detail: 'A notification cannot be read before it is sent.',
    broken: ({ created_at, read_at }, _before, now) =>
      read_at != null &&
      Date.parse(read_at) < (created_at === undefined ? now : Date.parse(created_at)),
  },
]

const notificationSchema = z
  .strictObject({
    object: z.literal('notification'),
    id,
    ...valueFields(notificationFields),
    url: z.string().nullable(),
    created_at: utc,
    read_at: utc.nullable(),
    member: memberSchema.nullable().optional(),
  })
  .meta({ id: 'Notification' })

/** A row of this resource as `sayMessage` takes it. */
function storedMessage({ filter_facts, filter_zone, ...row }: Record<string, unknown>) {
  return { ...row, facts: filter_facts, timeZone: filter_zone } as StoredMessage
}

export const notifications: Resource<typeof notificationSchema> = {
  object: 'notification',
  schema: notificationSchema,
  rows: (db) => sql`
    select n.id, n.user_id as member_id, n.kind, n.title, n.body, n.url, n.created_at, n.read_at,
      n.facts as filter_facts, (select time_zone from schools s where s.id = n.school_id) as filter_zone
    from notifications n where n.school_id = ${db.schoolId}`,
  finish: (row) => ({ ...row, ...sayMessage(storedMessage(row)) }),
  expansions: { member: expansionOf(members, 'member_id', ['members:read']) },
}

const ops = objectOperations({
  of: notifications,
  table: 'notifications',
  one: 'a notification',
  scope: null,
})

export const listNotifications = listOperation({
  ...ops.listed,
  summary: 'The notifications in members’ inboxes, and when they were read.',
  filters: {
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    kind: filter(valueFields(notificationFields).kind, (value) => sql`r.kind = ${value}`),
    read: filter(z.boolean(), (read) =>
      read ? sql`r.read_at is not null` : sql`r.read_at is null`,
    ),
    search: searchIn(personOf('member_id')),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time' },
  defaultSort: '-created_at',
})

export const readNotification = ops.read()

export const sendNotification = createOperation({
  name: 'notifications.send',
  title: 'Send a notification',
  summary: 'Adds an entry to the inbox of a member.',
  ...WITHOUT_SCOPE,
  of: notifications,
  fields: notificationFields,
  async create(tx, _caller, row) {
    checkRow(notificationRules, row)
    const { member_id: member, created_at: sent, read_at: read, ...columns } = row
    await checkMembers(tx, 'member_id', [member])
    const made = uuidv7()
    const { kind, title, body, url } = columns
    if (sent === undefined && read === null) {
      const message = { ...announcementOf({ title, body, url }), kind }
      const { rows } = await tx.run(
        entriesFor(tx, message, sql`(select ${member}::uuid as user_id, ${made}::uuid as id)`),
      )
      if (rows.length > 0) return made
      throw conflict('wrong_state', 'This member turned announcements off.')
    }
    // From another system, or read already: it goes into the inbox and is never mailed.
    const times = { created_at: dateOrNull(sent) ?? new Date(), read_at: dateOrNull(read) }
    await tx.insert('notifications', { ...columns, ...times, id: made, user_id: member }).execute()
    return made
  },
})
