import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../../foundation/crypto/seal.ts'
import type { Db } from '../../../foundation/db/database.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { RECENT_DAYS } from '../account-recovery.ts'
import { openFirst } from '../school-to-tell.ts'

/*
 * A new email address needs the old mailbox and the new one: each gets a link, and the change
 * happens when both have agreed. So neither a stolen session nor a mistyped address moves an
 * account. The link in the old mailbox stops the change before, and undoes it for some days
 * afterwards.
 *
 * The links are of the school where the person has signed in for longest, wherever they asked: the
 * owner of a mailbox opens a link that says "it was not you", and a hostile school that controls
 * its host name would read it.
 */

export const CONFIRM_HOURS = 24
export const UNDO_DAYS = 3

const PURPOSE = 'email-change'
/** Above what the row allows, also at a school that was suspended meanwhile. */
const LONGEST_MS = 365 * 24 * 60 * 60 * 1000

export type Mailbox = 'old' | 'new'

const linkSchema = z.object({ id: z.string(), mailbox: z.enum(['old', 'new']) })

export type ChangeLink = z.output<typeof linkSchema>

/** How long it opens anything is decided by the row. */
export function sealChangeLink(keyring: Keyring, schoolId: string, link: ChangeLink): string {
  return sealMessage(keyring, PURPOSE, schoolId, link, Date.now() + LONGEST_MS)
}

/** Undefined if the link is forged or of another school. */
export function openChangeLink(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
): ChangeLink | undefined {
  return linkSchema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now())).data
}

/** Conditions on a row of `email_changes` that is called `c`. */
export const IS_PENDING = sql<boolean>`(c.ended_at is null and c.changed_at is null
  and c.created_at > now() - make_interval(hours => ${sql.lit(CONFIRM_HOURS)}))`
/** While the school of its links is suspended, time stands still for it at every school. */
export const CAN_BE_UNDONE = sql<boolean>`(c.ended_at is null
  and c.changed_at > coalesce((
    select least(home.suspended_at, now()) from schools home
    where home.id = c.school_id and home.deleted_at is null), now())
    - make_interval(days => ${sql.lit(UNDO_DAYS)}))`

/**
 * A factor that the person had for longer than any link of a notice works proved the change: it is
 * the person's own. So who stole the old mailbox, which may be why the person left it, undoes
 * nothing with it.
 */
export const NEEDS_FACTOR = sql<boolean>`coalesce(
  c.factor_since < c.created_at - make_interval(days => ${sql.lit(RECENT_DAYS)}), false)`

/**
 * Whether the address before a change stays with its account, for as long as the change can be
 * undone: a new account with it would make the undo impossible.
 */
export const isAddressKept = (
  email: RawBuilder<unknown>,
  otherThan: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`exists (
  select from email_changes c
  where lower(c.old_email) = lower(${email}) and c.user_id is distinct from ${otherThan} and ${CAN_BE_UNDONE})`

/** Whether a change keeps an address that belongs to no account yet. */
export async function isKept(db: Db, email: string): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    select ${isAddressKept(sql`${email}`, sql`null::uuid`)} as kept`.execute(db)
  return rows[0]?.kept === true
}

/**
 * Call it before an account gets an address, with the account that gives up the one it has: both
 * are locked until the transaction ends, so that another one sees what was done in the same moment.
 */
export async function lockAddresses(tx: Db, email: string, userId?: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('address ' || e, 0))
    from (
      select lower(${email}) as e union select lower(email) from users where id = ${userId ?? null}::uuid
      order by 1) a where e is not null`.execute(tx)
}

/** A condition on a row that is called `t`: its links can do nothing any more. */
export const CHANGE_IS_DEAD = sql<boolean>`(t.ended_at is not null
  or t.changed_at < now() - make_interval(days => ${sql.lit(UNDO_DAYS)})
  or t.changed_at is null and t.created_at < now() - make_interval(hours => ${sql.lit(CONFIRM_HOURS)}))`

export interface EmailChange {
  readonly id: string
  /** Whose links it has. */
  readonly schoolId: string
  readonly userId: string
  readonly oldEmail: string
  readonly newEmail: string
  readonly oldConfirmed: boolean
  readonly newConfirmed: boolean
  readonly isChanged: boolean
  /** The browser that asked. */
  readonly sessionId: string | null
  /** The school where it was asked; null for a request of an older version. */
  readonly askedSchoolId: string | null
  /** Whether only a passkey or a code undoes it. */
  readonly needsFactor: boolean
}

export const CHANGE_COLUMNS = sql`c.id, c.school_id as "schoolId", c.user_id as "userId", c.old_email as "oldEmail", c.new_email as "newEmail",
  c.old_confirmed_at is not null as "oldConfirmed", c.new_confirmed_at is not null as "newConfirmed",
  c.changed_at is not null as "isChanged", c.session_id as "sessionId", c.asked_school_id as "askedSchoolId",
  ${NEEDS_FACTOR} as "needsFactor"`

/** The change that a link is about; undefined if the link can do nothing any more. */
export async function findChange(
  db: SchoolDb,
  { id, mailbox }: ChangeLink,
): Promise<EmailChange | undefined> {
  const { rows } = await db.run(sql<EmailChange>`
    select ${CHANGE_COLUMNS} from email_changes c
    where c.id = ${id} and c.school_id = ${db.schoolId}
      and (${IS_PENDING} or ${mailbox === 'old'} and ${CAN_BE_UNDONE})`)
  return rows[0]
}

/**
 * Crosses schools: where the person has signed in for longest, of those where they have a role. Its
 * mails are the ones that a thief with a school of their own cannot read.
 */
export async function findHomeSchool(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ school_id: string }>`
    select m.school_id from school_members m join schools s on s.id = m.school_id
    where m.user_id = ${userId} and m.roles <> '{}' and m.signed_in_at is not null and s.deleted_at is null
    order by ${openFirst('m', 's')}, m.signed_in_at, m.school_id limit 1`.execute(db)
  return rows[0]?.school_id
}
