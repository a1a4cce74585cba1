import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

export type MailKind = 'forgotten_password' | 'password_changed'

/** A request for a mail, which no answer waits for. It survives the process that took it. */
export interface QueuedMail {
  readonly id: string
  readonly schoolId: string
  readonly kind: MailKind
  /** As it was typed; there may be no account with it. */
  readonly email: string
  /** 1 at the first try. */
  readonly attempts: number
}

/** A link in a mail that comes later than this would be no help. */
const KEEP_MINUTES = 60
/** Above the time-outs of the mail server, so that a mail is not sent twice while the first try still runs. */
const RETRY_MINUTES = 2

export async function queueMail(at: SchoolDb, kind: MailKind, email: string): Promise<void> {
  await at.insert('outgoing_mails', { id: uuidv7(), kind, email }).execute()
}

/**
 * Crosses schools: takes the mail that waits longest, of a school that is not busy, and hides it from other processes
 * for this try.
 */
export async function takeMail(
  db: Db,
  busySchools: readonly string[],
): Promise<QueuedMail | undefined> {
  const { rows } = await sql<QueuedMail>`
    update outgoing_mails set attempts = attempts + 1,
      next_try_at = now() + make_interval(mins => ${RETRY_MINUTES})
    where id = (
      select id from outgoing_mails
      where next_try_at <= now() and school_id <> all (${busySchools}::uuid[])
      order by next_try_at limit 1 for update skip locked)
    returning id, school_id as "schoolId", kind, email, attempts`.execute(db)
  return rows[0]
}

/** After it was sent, or because it should not be. */
export async function dropMail(at: SchoolDb, id: string): Promise<void> {
  await at.delete('outgoing_mails').where('id', '=', id).execute()
}

/** Rows that were tried in vain for too long. */
export const MAIL_IS_DEAD = sql<boolean>`t.created_at < now() - make_interval(mins => ${sql.lit(KEEP_MINUTES)})`
