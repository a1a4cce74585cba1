import { sql } from 'kysely'
import {
  clockOf,
  laterBy,
  type Pause,
  type SchoolClock,
  youngerBy,
} from '../../foundation/db/school-clock.ts'
import { RECENT_DAYS } from './account-recovery.ts'
import { CONFIRM_HOURS, UNDO_DAYS } from './email-change/email-change.ts'
import { firstSchoolOf } from './school-to-tell.ts'

/*
 * What a person can stop or undo waits for the school that tells them of it: its mails wait, and
 * the links in them do not open.
 */

/** Sessions that one step looks at. */
const STEP_ROWS = 5000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * A day more than a factor may be older than a change of the address, and that change older than
 * now, to be judged as recent.
 */
const MOVED_DAYS = RECENT_DAYS + CONFIRM_HOURS / 24 + UNDO_DAYS + 1

const isRecent = (column: string, { from }: Pause) =>
  sql<boolean>`${sql.ref(column)} > ${from}::timestamptz - make_interval(days => ${sql.lit(MOVED_DAYS)})`

/**
 * A factor that is recent stays recent: a thief who added it before the pause, or during it, must
 * not find that it counts as the person's own afterwards. `authenticated_at` does not move: apps
 * are told when the person really signed in, and a recent proof must be recent.
 */
const sessions: SchoolClock = {
  table: 'browser_sessions',
  columns: ['created_at', 'expires_at', 'factor_since'],
  async step(tx, pause, after = FIRST_ID) {
    const isHere = sql`b.school_id = ${tx.schoolId}::uuid`
    const isTold = sql`${isRecent('factor_since', pause)} and ${firstSchoolOf(sql`b.user_id`)} = ${tx.schoolId}::uuid`
    const { rows } = await tx.run(sql<{ looked: number; last: string | null }>`
      with page as materialized (
        select id from browser_sessions where id > ${after} order by id limit ${sql.lit(STEP_ROWS)}),
      moved as (
        update browser_sessions b set
          created_at = case when ${isHere} then ${youngerBy(pause, 'created_at')} else created_at end,
          expires_at = case when ${isHere} then ${laterBy(pause, 'expires_at', 'created_at')} else expires_at end,
          factor_since = case when ${isTold} then ${youngerBy(pause, 'factor_since')} else factor_since end
        where b.id = any (array(select id from page))
          and (${isHere} and b.expires_at > ${pause.from} or ${isTold}))
      select (select count(*) from page)::int as looked,
        (select id::text from page order by page.id desc limit 1) as last`)
    const { looked = 0, last = null } = rows[0] ?? {}
    return looked < STEP_ROWS ? undefined : (last ?? undefined)
  },
}

/**
 * The deletion of an account has no school of its own. One that was asked for during the pause
 * waits less.
 */
const deletions: SchoolClock = {
  table: 'deletion_requests',
  columns: ['due_at'],
  async step(tx, pause) {
    await tx.run(sql`
      update deletion_requests set due_at = ${laterBy(pause, 'due_at', 'requested_at')}
      where coalesce(school_id, ${firstSchoolOf(sql`deletion_requests.user_id`)}) = ${tx.schoolId}::uuid
        and due_at > ${pause.from}`)
    return undefined
  },
}

/** What was put off while the school was suspended is sent at once. */
const mails: SchoolClock = {
  table: 'outgoing_mails',
  columns: ['created_at', 'next_try_at'],
  async step(tx, pause) {
    await tx.run(sql`
      update outgoing_mails set created_at = ${youngerBy(pause, 'created_at')}, next_try_at = now()
      where school_id = ${tx.schoolId}`)
    return undefined
  },
}

const toldHere = (schoolId: ReturnType<typeof sql<string>>) =>
  sql`${firstSchoolOf(sql`t.user_id`)} = ${schoolId}`

export const peopleClocks: readonly SchoolClock[] = [
  sessions,
  deletions,
  ...['trusted_devices', 'password_resets', 'notice_links'].map((table) =>
    clockOf({
      table,
      until: { column: 'expires_at', began: 'created_at' },
      running: ({ from }) => sql`t.expires_at > ${from}`,
    }),
  ),
  clockOf({ table: 'email_changes', since: ['created_at', 'changed_at', 'factor_since'] }),
  mails,
  clockOf({ table: 'lost_factors', since: ['asked_at', 'told_at'], of: toldHere }),
  ...['passkeys', 'authenticators'].map((table) =>
    clockOf({
      table,
      since: ['created_at'],
      of: toldHere,
      running: (pause) => isRecent('created_at', pause),
    }),
  ),
]
