import { sql } from 'kysely'
import { cutPage } from '../../foundation/db/cut-page.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** An entry as the person reads it whom it is about. It names no other person, and nothing that operators noted. */
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

interface Row {
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
 * What a person allowed, ended and changed at this school, and what was done to them, newest first. Refused requests of
 * apps are left out, and an entry about the roles of many people, which is the history of none of them.
 */
export async function readHistory(
  at: SchoolDb,
  userId: string,
  page: { readonly before?: string | undefined; readonly limit: number },
): Promise<HistoryPage> {
  const { rows } = await at.run(sql<Row>`
    select e.id, e.at, e.action, e.actor_user_id is not distinct from ${userId}::uuid as is_own,
      coalesce(c.name, e.client_id) as app, coalesce(e.detail ->> 'by', e.detail ->> 'via') as by, e.detail ->> 'device' as device,
      (e.detail ->> 'which' = 'all_others' or e.detail ? 'people') is true as is_all
    from audit_entries e
      left join clients c on c.school_id = e.school_id and c.client_id = e.client_id
    where e.school_id = ${at.schoolId} and ${person} = ${userId}::text and ${isPersonal}
      and e.action <> 'authorization.refused' and (${family} <> 'member' or e.subject is not null)
      ${page.before === undefined ? sql`` : sql`and e.id < ${page.before}`}
    order by e.id desc
    limit ${page.limit + 1}`)
  const { shown, last } = cutPage(rows, page.limit)
  return { entries: shown.map(entryFromRow), next: last?.id }
}

function entryFromRow(row: Row): HistoryEntry {
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
