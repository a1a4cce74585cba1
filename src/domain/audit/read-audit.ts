import { sql } from 'kysely'
import { startOfUuidv7 } from '../../foundation/crypto/random.ts'
import { cutPage } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { COMMON_ACTIONS, isNotCommon } from './audit.ts'

export interface AuditFilter {
  readonly action?: string | undefined
  /** Only `ok`, or only refusals. */
  readonly outcome?: 'ok' | 'refused' | undefined
  readonly actorEmail?: string | undefined
  readonly clientId?: string | undefined
  readonly from?: Date | undefined
  /** Entries of this moment are left out. */
  readonly until?: Date | undefined
}

export interface AuditRecord {
  readonly id: string
  readonly at: Date
  readonly action: string
  readonly outcome: string
  readonly actor: { readonly id: string; readonly name: string; readonly email: string } | undefined
  readonly client:
    | { readonly id: string; readonly name: string; readonly isDeleted?: boolean }
    | undefined
  readonly subject: string | undefined
  readonly detail: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
}

export interface AuditPage {
  readonly entries: readonly AuditRecord[]
  /** Pass it to read the next page; absent on the last page. */
  readonly next: string | undefined
}

interface Row {
  id: string
  at: Date
  action: string
  outcome: string
  actor_user_id: string | null
  actor_name: string | null
  actor_email: string | null
  client_id: string | null
  client_name: string | null
  client_deleted_at: Date | null
  subject: string | null
  detail: Record<string, unknown>
  request_id: string | null
}

/**
 * A page of the school's entries, newest first. Ids are in order of time, so a page starts where
 * the previous one ended, also if new entries were added in between.
 */
export async function readAudit(
  db: SchoolDb,
  filter: AuditFilter,
  page: { readonly before?: string | undefined; readonly limit: number },
): Promise<AuditPage> {
  const conditions = [
    sql`e.school_id = ${db.schoolId}`,
    ...(page.before === undefined ? [] : [sql`e.id < ${page.before}`]),
    ...(filter.from === undefined ? [] : [sql`e.id >= ${firstIdAt(filter.from)}`]),
    ...(filter.until === undefined ? [] : [sql`e.id < ${firstIdAt(filter.until)}`]),
    ...(filter.action === undefined ? [] : [actionIs(filter.action)]),
    ...(filter.outcome === 'ok' ? [sql`e.outcome = 'ok'`] : []),
    ...(filter.outcome === 'refused' ? [sql`e.outcome <> 'ok'`] : []),
    ...(filter.clientId === undefined ? [] : [sql`e.client_id = ${filter.clientId}`]),
    ...(filter.actorEmail === undefined
      ? []
      : [
          sql`e.actor_user_id = (
            select u.id from users u where lower(u.email) = lower(${filter.actorEmail}) and not exists (
              select from school_members m
              where m.school_id = ${db.schoolId} and m.user_id = u.id and m.forgotten_at is not null))`,
        ]),
  ]
  const { rows } = await db.run(sql<Row>`
    select e.id, e.at, e.action, e.outcome, e.actor_user_id, u.name as actor_name, u.email as actor_email,
      e.client_id, c.name as client_name, c.deleted_at as client_deleted_at, e.subject, e.detail, e.request_id
    from audit_entries e
      left join ${shownPeople(db)} u on u.id = e.actor_user_id
      left join clients c on c.school_id = e.school_id and c.client_id = e.client_id
    where ${sql.join(conditions, sql` and `)}
    order by e.id desc
    limit ${page.limit + 1}`)
  const { shown, last } = cutPage(rows, page.limit)
  return { entries: shown.map(recordFromRow), next: last?.id }
}

/** Ids are in order of time, and every index of the log ends with them. */
function firstIdAt(time: Date): string {
  return `${startOfUuidv7(Math.max(0, time.getTime()))}000-0000-000000000000`
}

function actionIs(action: string) {
  const isCommon = (COMMON_ACTIONS as readonly string[]).includes(action)
  if (isCommon) return sql`e.action = ${action}`
  return sql`e.action = ${action} and ${isNotCommon(sql`e.action`)}`
}

function recordFromRow(row: Row): AuditRecord {
  return {
    id: row.id,
    at: row.at,
    action: row.action,
    outcome: row.outcome,
    actor:
      row.actor_user_id === null
        ? undefined
        : {
            id: row.actor_user_id,
            name: row.actor_name ?? '',
            email: row.actor_email ?? '',
          },
    client:
      row.client_id === null
        ? undefined
        : {
            id: row.client_id,
            name: row.client_name ?? row.client_id,
            isDeleted: row.client_name === null || row.client_deleted_at !== null,
          },
    subject: row.subject ?? undefined,
    detail: row.detail,
    requestId: row.request_id ?? undefined,
  }
}

/**
 * An entry as the person reads it whom it is about. It names no other person, and nothing that
 * operators noted.
 */
export interface HistoryEntry {
  readonly id: string
  readonly at: Date
  readonly action: string
  /** Whether the person did it; otherwise the school or the administrator of this server. */
  readonly isOwn: boolean
  readonly app: string | undefined
  /** How it came about, such as `reset_link`. */
  readonly by: string | undefined
  readonly device: string | undefined
  /** Whether it was done to all of a kind: all other browsers, or an app of all people. */
  readonly isAll: boolean
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  /** Pass it to read older entries; absent on the last page. */
  readonly next: string | undefined
}

interface HistoryRow {
  id: string
  at: Date
  action: string
  is_own: boolean
  app: string | null
  by: string | null
  device: string | null
  is_all: boolean
}

const family = sql`split_part(e.action, '.', 1)`

/** Whom an entry is about, exactly as in the index `audit_entries_of_person`. */
const person = sql`case when ${family} in ('authorization', 'member', 'person')
  then coalesce(e.subject, e.actor_user_id::text) else coalesce(e.actor_user_id::text, e.subject) end`
const isPersonal = sql`${family} in ('authorization', 'member', 'person', 'session', 'passkey', 'factor')`

/**
 * What a person allowed, ended and changed at this school, and what was done to them, newest first.
 * Refused requests of apps are left out, and an entry about the roles of many people, which is the
 * history of none of them.
 */
export async function readHistory(
  db: SchoolDb,
  userId: string,
  page: { readonly before?: string | undefined; readonly limit: number },
): Promise<HistoryPage> {
  const { rows } = await db.run(sql<HistoryRow>`
    select e.id, e.at, e.action, e.actor_user_id is not distinct from ${userId}::uuid as is_own,
      coalesce(c.name, e.client_id) as app, coalesce(e.detail ->> 'by', e.detail ->> 'via') as by, e.detail ->> 'device' as device,
      (e.detail ->> 'which' = 'all_others' or e.detail ? 'people') is true as is_all
    from audit_entries e
      left join clients c on c.school_id = e.school_id and c.client_id = e.client_id
    where e.school_id = ${db.schoolId} and ${person} = ${userId}::text and ${isPersonal}
      and e.action <> 'authorization.refused' and (${family} <> 'member' or e.subject is not null)
      ${page.before === undefined ? sql`` : sql`and e.id < ${page.before}`}
    order by e.id desc
    limit ${page.limit + 1}`)
  const { shown, last } = cutPage(rows, page.limit)
  return { entries: shown.map(entryFromRow), next: last?.id }
}

function entryFromRow(row: HistoryRow): HistoryEntry {
  return {
    id: row.id,
    at: row.at,
    action: row.action,
    isOwn: row.is_own,
    app: row.app ?? undefined,
    by: row.by ?? undefined,
    device: row.device ?? undefined,
    isAll: row.is_all,
  }
}
