import { sql, type Transaction } from 'kysely'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { isSuspended } from '../../foundation/db/school-clock.ts'
import { atSchoolInTransaction } from '../../foundation/db/school-db.ts'
import { oldestFirst, type Sweep, sweepOf } from '../../foundation/db/sweep.ts'
import { recordChange } from '../audit/audit.ts'
import { OperationRefused } from '../operation/refusal.ts'
import { deletePerson } from './deletion/delete-person.ts'
import { findMailPlace, tellOfEnd } from './deletion/deletion-requests.ts'
import { leaveSchool } from './deletion/leave-school.ts'
import { CHANGE_IS_DEAD } from './email-change/email-change.ts'
import { lostFactorSweep } from './factors/lost-factors.ts'
import { MAIL_IS_DEAD } from './mails/all-mails.ts'
import { schoolToTell } from './school-to-tell.ts'

interface DueRequest {
  readonly id: string
  readonly user_id: string
  readonly school_id: string | null
}

/** A request that could not be done is tried again after this time. */
const BLOCKED_HOURS = 24

/**
 * Crosses schools: does what people asked for when its time has come, each in a transaction of its
 * own.
 */
export const deletionSweep: Sweep = {
  name: 'deletion_requests',
  async step(db) {
    try {
      const removed = await db.transaction().execute(deleteNext)
      return { removed, last: undefined, isDone: removed === 0 }
    } catch (error) {
      if (!(error instanceof DeletionBlocked)) throw error
      await sql`update deletion_requests set blocked_at = now() where id = ${error.id}`.execute(db)
      return { removed: 0, last: undefined, isDone: false }
    }
  },
}

/** Undoes what was done for a request that is refused in the end. */
class DeletionBlocked extends Error {
  override readonly name = 'DeletionBlocked'
  readonly id: string

  constructor({ id }: DueRequest, cause: OperationRefused) {
    super('A deletion is due and cannot be done.', { cause })
    this.id = id
  }
}

/** Returns how many were deleted: one, or none if none is due. */
async function deleteNext(tx: Transaction<DB>): Promise<number> {
  const due = await takeDue(tx)
  if (due === undefined) return 0
  try {
    await deleteNow(tx, due)
  } catch (error) {
    throw error instanceof OperationRefused ? new DeletionBlocked(due, error) : error
  }
  return 1
}

async function takeDue(tx: Transaction<DB>): Promise<DueRequest | undefined> {
  const { rows } = await sql<DueRequest>`
    select id, user_id, school_id from deletion_requests
    where due_at <= now() and not ${isSuspended(sql`coalesce(school_id, ${schoolToTell(sql`deletion_requests.user_id`)})`)}
      and (blocked_at is null or blocked_at < now() - make_interval(hours => ${sql.lit(BLOCKED_HOURS)}))
    order by due_at limit 1 for update skip locked`.execute(tx)
  return rows[0]
}

async function deleteNow(tx: Transaction<DB>, { user_id, school_id }: DueRequest): Promise<void> {
  const by = { via: 'account', userId: user_id } as const
  const place = await findMailPlace(tx, user_id, school_id)
  if (school_id === null) {
    await deletePerson(tx, user_id, { force: false }, by)
    await tellOfEnd(tx, place, 'account')
    return
  }
  const db = atSchoolInTransaction(tx, school_id)
  await leaveSchool(db, user_id, by)
  await recordChange(db, by, { action: 'person.deleted', subject: user_id })
  await tellOfEnd(tx, place, 'school')
}

const id = { column: 'id', type: 'uuid' } as const
const waiting = isSuspended(sql`t.school_id`)
const isOver = sql`t.expires_at < now() and not ${waiting}`

/**
 * Crosses schools: people whose deletion is due, and factors that were lost; sessions, trusted
 * browsers, links in mails, changes of an email, mails and failure counters that have expired.
 */
export const peopleSweeps: readonly Sweep[] = [
  deletionSweep,
  lostFactorSweep,
  oldestFirst({
    table: 'browser_sessions',
    key: ['id'],
    order: 'expires_at',
    waiting,
    dead: sql`t.expires_at < now()`,
  }),
  oldestFirst({
    table: 'trusted_devices',
    key: ['id'],
    order: 'expires_at',
    waiting,
    dead: sql`t.expires_at < now()`,
  }),
  sweepOf({ table: 'password_resets', key: id, dead: isOver }),
  sweepOf({ table: 'notice_links', key: id, dead: isOver }),
  sweepOf({ table: 'email_changes', key: id, dead: sql`${CHANGE_IS_DEAD} and not ${waiting}` }),
  sweepOf({ table: 'outgoing_mails', key: id, dead: sql`${MAIL_IS_DEAD} and not ${waiting}` }),
  sweepOf({
    table: 'sign_in_throttles',
    key: { column: 'bucket', type: 'bytea' },
    dead: sql`t.window_ends_at < now()`,
  }),
]
