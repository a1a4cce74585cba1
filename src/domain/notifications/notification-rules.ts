import { z } from 'zod'
import { id, line, text, time, webAddress } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'

/** A path begins with exactly one slash: after two, a browser reads the name of another host. */
const schoolPath = z
  .string()
  .max(2000)
  .regex(/^\/(?:[^/\u0000-\u0020\\][^\u0000-\u0020\\]*)?$/)

export const notificationFields = {
  member_id: id,
  kind: z
    .string()
    .regex(/^[a-z_]{1,64}$/, 'Use lower-case letters and underscores, such as meeting_confirmed.'),
  title: line(300),
  body: text(0, 10_000),
  url: z
    .union([schoolPath, webAddress], {
      error:
        'Write a path of this school such as /account, or an address that begins with https://.',
    })
    .nullable(),
  created_at: time,
  read_at: time.nullable(),
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
