import { sql, type Transaction } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { isSuspended } from '../../../foundation/db/school-clock.ts'
import {
  acrossSchools,
  atSchool,
  atSchoolInTransaction,
  type SchoolDb,
} from '../../../foundation/db/school-db.ts'
import type { Sweep } from '../../../foundation/db/sweep.ts'
import { recordAtSchools } from '../../audit/audit.ts'
import { findSchoolToTell, queueNotice, recordAboutPerson } from '../notices.ts'
import type { Person } from '../person.ts'
import { schoolToTell } from '../school-to-tell.ts'
import { countTry, lostFactorsCounter } from '../sign-in-counters.ts'

/*
 * The way out for a person who has lost every passkey, or the authenticator app and its recovery
 * codes. After some days they are removed, and the password alone signs in. Until then a notice
 * goes out every day, and each use of one of the factors, or a link in a mail, stops it: a thief of
 * the password alone waits in vain.
 */

export const LOST_FACTOR_DAYS = 7

export type AskedRemoval =
  | { readonly kind: 'waiting'; readonly dueAt: Date }
  | { readonly kind: 'no_factor' }
  /** No school may write to the person, so the person would not hear of it. */
  | { readonly kind: 'no_school' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

interface Asking {
  readonly person: Pick<Person, 'id' | 'email'>
  readonly requestId: string
}

/** The caller has just checked the password. */
export async function askToRemoveFactors(
  db: SchoolDb,
  throttleKey: Buffer,
  { person, requestId }: Asking,
): Promise<AskedRemoval> {
  const userId = person.id
  const limit = lostFactorsCounter(throttleKey, userId)
  const retryAfterSeconds = await countTry(acrossSchools(db), [limit], 60)
  if (retryAfterSeconds > 0) return { kind: 'throttled', retryAfterSeconds }
  return await db.transaction(async (here) => {
    const tx = acrossSchools(here)
    if ((await findSchoolToTell(tx, userId)) === undefined) return { kind: 'no_school' }
    const { rows } = await sql<{ dueAt: Date; isNew: boolean }>`
      insert into lost_factors as l (user_id, asked_school_id)
      select ${userId}, ${here.schoolId}
      where exists (select from authenticators where user_id = ${userId})
        or exists (select from passkeys where user_id = ${userId})
      on conflict (user_id) do update set told_at = l.told_at
      returning ${DUE_AT} as "dueAt", xmax = 0 as "isNew"`.execute(tx)
    const [row] = rows
    if (row === undefined) return { kind: 'no_factor' }
    const { dueAt, isNew } = row
    if (isNew) {
      const entry = { action: 'factor.removal_requested', actorUserId: userId, requestId } as const
      await recordAboutPerson(tx, userId, entry, here)
      await queueNotice(here, 'factors_lost', person, { until: dueAt })
    }
    return { kind: 'waiting', dueAt }
  })
}

/** Of a row that is called `l`. */
const DUE_AT = sql<Date>`(l.asked_at + make_interval(days => ${sql.lit(LOST_FACTOR_DAYS)}))`

/** Crosses schools: when the factors of this person will be removed; undefined without a report. */
export async function findRemoval(db: Db, userId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ dueAt: Date }>`
    select ${DUE_AT} as "dueAt" from lost_factors l where user_id = ${userId}`.execute(db)
  return rows[0]?.dueAt
}

/**
 * Crosses schools: the factors stay, and the person is told. Everything that shows that they are
 * not lost calls it, in a transaction that has locked the person if it has locked anything.
 */
export async function keepFactors(db: Db, userId: string, requestId?: string): Promise<boolean> {
  const { rows } = await sql<{ schoolId: string; email: string | null }>`
    delete from lost_factors l using users u where l.user_id = ${userId} and u.id = l.user_id
    returning l.asked_school_id as "schoolId", u.email`.execute(db)
  const [kept] = rows
  if (kept === undefined) return false
  const entry = { action: 'factor.removal_cancelled', actorUserId: userId, requestId } as const
  await recordAboutPerson(db, userId, entry)
  const { schoolId, email } = kept
  if (email !== null)
    await queueNotice(atSchool(db, schoolId), 'factors_kept', { id: userId, email })
  return true
}

/** The person, or the reader of a mailbox, stops the removal. False if there is none any more. */
export async function takeBackReport(
  db: SchoolDb,
  userId: string,
  requestId: string,
): Promise<boolean> {
  return await db.transaction(async (here) => {
    const tx = acrossSchools(here)
    // First, as the removal does.
    await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
    return await keepFactors(tx, userId, requestId)
  })
}

interface Waiting {
  readonly userId: string
  readonly schoolId: string
  readonly email: string | null
  readonly askedAt: Date
  readonly dueAt: Date
  readonly isDue: boolean
}

/** Crosses schools: removes what has waited long enough, and tells the others once a day. */
export const lostFactorSweep: Sweep = {
  name: 'lost_factors',
  async step(db) {
    const removed = await db.transaction().execute(goOnWithNext)
    return { removed: removed ?? 0, last: undefined, isDone: removed === undefined }
  },
}

/** How many requests ended; undefined if none is due and no notice is. */
async function goOnWithNext(tx: Transaction<DB>): Promise<number | undefined> {
  const { rows } = await sql<Waiting>`
    select l.user_id as "userId", l.asked_school_id as "schoolId", u.email, l.asked_at as "askedAt",
      ${DUE_AT} as "dueAt", ${DUE_AT} <= now() as "isDue"
    from lost_factors l join users u on u.id = l.user_id
    where (l.told_at < now() - interval '1 day' or ${DUE_AT} <= now())
      and not ${isSuspended(schoolToTell(sql`l.user_id`))}
    order by l.told_at limit 1 for no key update of u skip locked`.execute(tx)
  const [next] = rows
  if (next === undefined) return undefined
  const { userId, email } = next
  // Without a school that may write to them, the person would not hear of it.
  if ((await findSchoolToTell(tx, userId)) === undefined) {
    await keepFactors(tx, userId)
    return 1
  }
  if (!next.isDue) {
    await sql`update lost_factors set told_at = now() where user_id = ${userId}`.execute(tx)
    if (email !== null) await tell(tx, { ...next, email }, 'factors_lost')
    return 0
  }
  const { numDeletedRows } = await tx
    .deleteFrom('lost_factors')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  // The person stopped it while this waited for the lock.
  if (numDeletedRows === 0n) return 0
  if (email !== null && (await removeFactors(tx, next))) {
    await endTrust(tx, userId)
    await tell(tx, { ...next, email }, 'factors_removed')
  }
  return 1
}

async function tell(
  tx: Transaction<DB>,
  { userId, schoolId, dueAt, email }: Waiting & { readonly email: string },
  what: 'factors_lost' | 'factors_removed',
): Promise<void> {
  const db = atSchoolInTransaction(tx, schoolId)
  await queueNotice(db, what, { id: userId, email }, { until: dueAt })
}

/**
 * What was added since the request is no lost factor. An account without a password keeps its
 * passkeys: nothing else opens it.
 */
async function removeFactors(tx: Transaction<DB>, { userId, askedAt }: Waiting): Promise<boolean> {
  const { rows } = await sql<{ school_id: string | null; id: string | null }>`
    with person as (select id from users where id = ${userId} and password_hash is not null),
    apps as (delete from authenticators using person where user_id = person.id and created_at <= ${askedAt} returning 1),
    keys as (
      delete from passkeys p using person where p.user_id = person.id and p.created_at <= ${askedAt}
      returning p.school_id, p.id)
    select null::uuid as school_id, null::uuid as id from apps union all select school_id, id from keys`.execute(
    tx,
  )
  const entry = { actorUserId: userId, outcome: 'ok', detail: { by: 'lost' } } as const
  if (rows.some(({ id }) => id === null)) {
    await recordAboutPerson(tx, userId, { ...entry, action: 'factor.removed' })
  }
  const passkeys = rows.flatMap(({ school_id: schoolId, id: subject }) =>
    schoolId === null || subject === null
      ? []
      : [{ ...entry, schoolId, subject, action: 'passkey.removed' as const }],
  )
  await recordAtSchools(tx, passkeys)
  return rows.length > 0
}

/** Crosses schools: there is no code any more that a trusted browser could leave out. */
export async function endTrust(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('trusted_devices').where('user_id', '=', userId).execute()
  await sql`
    update browser_sessions set methods = array_remove(methods, 'trusted_device')
    where user_id = ${userId} and 'trusted_device' = any (methods)`.execute(db)
}
