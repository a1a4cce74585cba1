import { sql, type Transaction } from 'kysely'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { Db } from '../../../foundation/db/database.ts'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
  type SchoolTx,
} from '../../../foundation/db/school-db.ts'
import {
  type AuditEntry,
  record,
  recordAtSchools,
  recordForInstallation,
} from '../../audit/audit.ts'
import { type AccountRecovery, recoveryEntry } from '../account-recovery.ts'
import { deletedMail, deletionRequestedMail } from '../mails/leaving-mails.ts'
import { schoolsOfPerson } from '../membership.ts'
import { recordAboutPerson, tellFormerAddress } from '../notices.ts'
import { queueMail } from '../outgoing-mail.ts'
import { schoolToTell } from '../school-to-tell.ts'
import { schoolsOwnedAlone } from './delete-person.ts'

/** In this time a person can change their mind, and one whose browser was stolen can notice. */
export const WAITING_DAYS = 14

/** What is to be deleted: what this school knows, or the account with all schools. */
export type DeletedPart = 'school' | 'account'

export interface DeletionRequest {
  readonly part: DeletedPart
  readonly requestedAt: Date
  readonly dueAt: Date
  /** When it was due and a school would have had no owner. */
  readonly blockedAt: Date | null
}

/** What this person asked for, as far as this school is concerned. */
export async function findDeletions(
  db: SchoolDb,
  userId: string,
): Promise<readonly DeletionRequest[]> {
  const { rows } = await db.run(sql<DeletionRequest>`
    select case when school_id is null then 'account' else 'school' end as part,
      requested_at as "requestedAt", due_at as "dueAt", blocked_at as "blockedAt"
    from deletion_requests
    where user_id = ${userId} and (school_id is null or school_id = ${db.schoolId})
    order by due_at`)
  return rows
}

export interface Asking {
  readonly userId: string
  readonly part: DeletedPart
  readonly requestId: string
}

export type AskedDeletion =
  | { readonly kind: 'waiting' }
  /** The person never belonged to this school. */
  | { readonly kind: 'no_member' }
  /** The names of schools that the person owns alone. */
  | { readonly kind: 'last_owner'; readonly schools: readonly string[] }

/**
 * Notes that a person wants to be deleted. Only a signed-in person can ask, and only for
 * themselves.
 */
export async function requestDeletion(tx: SchoolTx, asking: Asking): Promise<AskedDeletion> {
  const { userId, part } = asking
  const across = acrossSchools(tx)
  const owned = new Set(await schoolsOwnedAlone(across, userId))
  const own = (await schoolsOfPerson(across, userId)).filter(
    ({ id, subdomain }) => owned.has(subdomain) && (part === 'account' || id === tx.schoolId),
  )
  if (own.length > 0) return { kind: 'last_owner', schools: own.map(({ name }) => name) }
  const { rows } = await tx.run(sql`
    insert into deletion_requests (id, user_id, school_id, due_at)
    select ${uuidv7()}, ${userId}, ${part === 'school' ? tx.schoolId : null}::uuid,
      now() + make_interval(days => ${WAITING_DAYS})
    where ${part === 'account'}::boolean or exists (
      select from school_members
      where school_id = ${tx.schoolId} and user_id = ${userId} and forgotten_at is null)
    on conflict (user_id, school_id) do update set due_at = deletion_requests.due_at
    returning xmax = 0 as is_new, due_at`)
  const [row] = rows as { is_new: boolean; due_at: Date }[]
  if (row === undefined) return { kind: 'no_member' }
  if (!row.is_new) return { kind: 'waiting' }
  await note(tx, 'person.deletion_requested', asking)
  const place = await findMailPlace(across, userId, part === 'school' ? tx.schoolId : null)
  const dueAt = row.due_at.toISOString()
  await tellOfRequest(across, place, { part, due_at: dueAt, place: tx.schoolId })
  if (part === 'account') await tellFormerAddress(across, userId, 'deletion_requested')
  return { kind: 'waiting' }
}

/** The person stays. True if there was something to cancel. */
export async function cancelDeletion(tx: SchoolTx, asking: Asking): Promise<boolean> {
  const { userId, part } = asking
  const { rows } = await tx.run(sql`
    delete from deletion_requests
    where user_id = ${userId}
      and school_id is not distinct from ${part === 'school' ? tx.schoolId : null}::uuid
    returning 1`)
  if (rows.length > 0) await note(tx, 'person.deletion_cancelled', asking)
  return rows.length > 0
}

/**
 * Crosses schools: the person takes the account back, and a thief may have asked for its deletion.
 */
export async function cancelDeletionsOf(
  db: Db,
  userId: string,
  how: AccountRecovery,
): Promise<void> {
  const cancelled = await db
    .deleteFrom('deletion_requests')
    .where('user_id', '=', userId)
    .returning('school_id')
    .execute()
  const entry = { ...recoveryEntry(userId, how), action: 'person.deletion_cancelled' } as const
  const schools = cancelled.flatMap(({ school_id }) => school_id ?? [])
  await recordAtSchools(
    db,
    schools.map((schoolId) => ({ ...entry, schoolId })),
  )
  if (schools.length < cancelled.length) await recordForInstallation(db, entry)
}

/**
 * What concerns the whole account stands in the history of the school where the person did it, and
 * of the one that tells them.
 */
async function note(
  tx: SchoolTx,
  action: AuditEntry['action'],
  { userId, part, requestId }: Asking,
): Promise<void> {
  const entry = { action, outcome: 'ok', actorUserId: userId, requestId } as const
  if (part === 'school') await record(tx, entry)
  else await recordAboutPerson(acrossSchools(tx), userId, entry, tx)
}

export interface MailPlace {
  readonly schoolId: string | null
  readonly email: string
}

/**
 * Where a mail about the deletion of a person is queued: at the school that forgets them, or for
 * the whole account at one that the person knows. Read it before roles end.
 */
export async function findMailPlace(
  tx: Transaction<DB>,
  userId: string,
  schoolId: string | null,
): Promise<MailPlace | undefined> {
  const { rows } = await sql<MailPlace>`
    select coalesce(${schoolId}::uuid, ${schoolToTell(sql`users.id`)}) as "schoolId", email
    from users where id = ${userId} and deleted_at is null`.execute(tx)
  return rows[0]
}

async function tellOfRequest(
  tx: Transaction<DB>,
  place: MailPlace | undefined,
  facts: { readonly part: 'school' | 'account'; readonly due_at: string; readonly place: string },
): Promise<void> {
  if (place?.schoolId == null) return
  await queueMail(
    atSchoolInTransaction(tx, place.schoolId),
    deletionRequestedMail,
    place.email,
    facts,
  )
}

export async function tellOfEnd(
  tx: Transaction<DB>,
  place: MailPlace | undefined,
  part: 'school' | 'account',
): Promise<void> {
  if (place?.schoolId == null) return
  await queueMail(atSchoolInTransaction(tx, place.schoolId), deletedMail, place.email, { part })
}
