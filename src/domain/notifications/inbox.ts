import { type RawBuilder, sql } from 'kysely'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
  withKeys,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type StoredMessage, sayMessage } from './causes.ts'

export interface InboxEntry extends Keyed {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly body: string
  /** A path within the school, or a whole URL. */
  readonly url: string | null
  readonly createdAt: Date
  readonly readAt: Date | null
}

type EntryRow = Omit<InboxEntry, 'key'> & StoredMessage

const COLUMNS = sql`id, kind, title, body, url, created_at as "createdAt", read_at as "readAt", facts,
  (select time_zone from schools s where s.id = school_id) as "timeZone"`

/** The row with its words. */
function entryOf({ facts, timeZone, ...row }: EntryRow): Omit<InboxEntry, 'key'> {
  return { ...row, ...sayMessage({ ...row, facts, timeZone }) }
}

export async function inboxOf(
  db: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<InboxEntry[]> {
  const { rows } = await db.run(sql<EntryRow>`
    select ${COLUMNS} from notifications n
    where n.school_id = ${db.schoolId} and n.user_id = ${userId} and n.in_inbox
      and ${inRange('n.created_at', 'n.id', range)}
    ${rangeOrder('n.created_at', 'n.id', range)}`)
  return newestFirst(withKeys(rows.map(entryOf), 'createdAt'), range)
}

export async function countInboxOf(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total ${inboxRowsOf(db, userId)}`)
  return rows[0]?.total ?? 0
}

export function inboxRowsOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`from notifications where school_id = ${db.schoolId} and user_id = ${userId} and in_inbox`
}

export async function countUnreadOf(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total from notifications
    where school_id = ${db.schoolId} and user_id = ${userId} and read_at is null`)
  return rows[0]?.total ?? 0
}

export interface MarkedEntry {
  readonly entry: InboxEntry
  readonly unread: number
}

/**
 * Marks one entry as read and counts the unread ones, in one statement. An entry that was read
 * before keeps its time. Undefined if the member has no such entry: it is another member's, or does
 * not exist.
 */
export async function markRead(
  db: SchoolDb,
  userId: string,
  id: string,
): Promise<MarkedEntry | undefined> {
  const [row] = await db.write(
    (callerHolds) => sql<EntryRow & { unread: number }>`
    with marked as (
      update notifications set read_at = coalesce(read_at, now())
      where school_id = ${db.schoolId} and user_id = ${userId} and id = ${id}
        and in_inbox and ${callerHolds}
      returning ${COLUMNS})
    select marked.*, (
      select count(*) from notifications
      where school_id = ${db.schoolId} and user_id = ${userId} and read_at is null
        and id <> marked.id) as unread
    from marked`,
  )
  if (row === undefined) return undefined
  const { unread, ...rest } = row
  const entry = entryOf(rest)
  return { entry: { ...entry, key: { at: entry.createdAt, id: entry.id } }, unread }
}

/** Marks one entry as unread. False if the member has no such entry. */
export async function markUnread(db: SchoolDb, userId: string, id: string): Promise<boolean> {
  const rows = await db.write(
    (callerHolds) => sql`
    update notifications set read_at = null
    where school_id = ${db.schoolId} and user_id = ${userId} and id = ${id} and in_inbox and ${callerHolds}
    returning id`,
  )
  return rows.length > 0
}

/** Marks all unread entries as read and returns their number. */
export async function markAllRead(db: SchoolDb, userId: string): Promise<number> {
  const rows = await db.write(
    (callerHolds) => sql<{ marked: number }>`
    with caller as materialized (select ${callerHolds} as holds),
    marked as (
      update notifications set read_at = now()
      where school_id = ${db.schoolId} and user_id = ${userId} and read_at is null
        and (select holds from caller)
      returning 1)
    select (select count(*) from marked) as marked from caller where holds`,
  )
  return rows[0]?.marked ?? 0
}
