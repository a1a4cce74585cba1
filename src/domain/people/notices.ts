import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import { acrossSchools, atSchool, type SchoolDb } from '../../foundation/db/school-db.ts'
import { type AuditEntry, record, recordForInstallation } from '../audit/audit.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
import { CAN_BE_UNDONE } from './email-change/email-change.ts'
import type { AccountNews, NoticedChange } from './mails/notice-words.ts'
import type { Person } from './person.ts'
import { openFirst, schoolToTell } from './school-to-tell.ts'

interface NoticeFacts {
  /** Such as "Firefox on Windows". */
  readonly device?: string
  /** The name of an app. */
  readonly app?: string
  /** Only a school where the person signed in before this session is asked to send it. */
  readonly beforeSession?: string
  /** When the server will do it unless the person stops it. */
  readonly until?: Date
}

/**
 * Queues a mail that tells a person about a change of their account, with a link that ends
 * everything. Crosses schools: it comes from the school where the person has signed in for longest,
 * as the news of a new password does (`set-password.ts`). Otherwise a thief would make the change
 * at a school of their own, whose mail leads to their own page. A person who has signed in nowhere
 * with a role gets none. Call it in the transaction of the change.
 *
 * After a change of the address the one before gets it too, for as long as it can undo the change.
 */
export async function queueNotice(
  db: SchoolDb,
  what: NoticedChange,
  person: Pick<Person, 'id' | 'email'>,
  { device = '', app, beforeSession, until }: NoticeFacts = {},
): Promise<void> {
  const facts = JSON.stringify({ what, device, app, until: until?.toISOString() })
  await sql`
    insert into outgoing_mails (id, school_id, kind, email, facts)
    select ${uuidv7()}, m.school_id, 'account_notice', ${person.email},
      ${facts}::jsonb || case when m.school_id = ${db.schoolId} then '{"isHere": true}'
        else jsonb_build_object('isHere', false, 'place', ${db.schoolId}::uuid) end
    from school_members m join schools s on s.id = m.school_id and s.deleted_at is null
    where m.user_id = ${person.id} and m.roles <> '{}' and m.signed_in_at is not null
      ${
        beforeSession === undefined
          ? sql``
          : sql`and m.signed_in_at < (select created_at from browser_sessions where id = ${beforeSession})`
      }
    order by ${openFirst('m', 's')}, m.signed_in_at, m.school_id
    limit 1`.execute(acrossSchools(db))
  await tellFormerAddress(acrossSchools(db), person.id, what)
}

/**
 * Crosses schools: tells the address before a change that can still be undone, with the link that
 * undoes it.
 */
export async function tellFormerAddress(db: Db, userId: string, news: AccountNews): Promise<void> {
  await sql`
    insert into outgoing_mails (id, school_id, kind, email, facts)
    select gen_random_uuid(), c.school_id, 'email_changed', c.old_email,
      jsonb_build_object('change', c.id, 'news', ${news}::text)
    from email_changes c where c.user_id = ${userId} and ${CAN_BE_UNDONE}`.execute(db)
}

interface NewBrowser {
  readonly person: Person
  readonly sessionId: string
  readonly device: string
  /** Whether this installation sends mail. */
  readonly isTold: boolean
  readonly requestId: string
}

/**
 * After a sign-in with a browser that does not prove an earlier one. The first sign-in of a person
 * anywhere leads to no mail. The audit has one entry an hour for a kind of browser.
 */
export async function noteNewBrowser(db: SchoolDb, fresh: NewBrowser): Promise<void> {
  const { person, sessionId, device, requestId } = fresh
  const entry = {
    action: 'session.new_browser',
    outcome: 'ok',
    actorUserId: person.id,
    detail: { device },
    requestId,
  } as const
  await recordOnceAnHour(db, entry, device)
  if (fresh.isTold) {
    await queueNotice(db, 'new_browser', person, { device, beforeSession: sessionId })
  }
}

/**
 * Crosses schools: an entry about the account of a person, at the school that tells them, or of the
 * installation. The school at whose origin it was done (`here`) has it too.
 */
export async function recordAboutPerson(
  db: Db,
  userId: string,
  entry: Omit<AuditEntry, 'outcome'>,
  here?: Pick<SchoolDb, 'schoolId'>,
): Promise<void> {
  const schoolId = await findSchoolToTell(db, userId)
  const whole = { ...entry, outcome: 'ok' }
  const places = new Set([schoolId, here?.schoolId].filter((id) => id !== undefined))
  for (const place of places) await record(atSchool(db, place), whole)
  if (schoolId === undefined) await recordForInstallation(db, whole)
}

/** Crosses schools. */
export async function findSchoolToTell(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ schoolId: string | null }>`
    select ${schoolToTell(sql`${userId}::uuid`)} as "schoolId"`.execute(db)
  return rows[0]?.schoolId ?? undefined
}
