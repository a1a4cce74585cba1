import { sql, type Transaction } from 'kysely'
import { hashPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
  type SchoolTx,
} from '../../foundation/db/school-db.ts'
import { record, recordForInstallation } from '../audit/audit.ts'
import { endAccessOfPerson } from '../grants/end-access.ts'
import { hasSecondFactor } from './factors/authenticators.ts'
import {
  everythingEndedMail,
  firstPasswordMail,
  passwordChangedMail,
} from './mails/password-mails.ts'
import { tellFormerAddress } from './notices.ts'
import { queueMail } from './outgoing-mail.ts'
import {
  findPasswordProblem,
  minimumLength,
  type PasswordContext,
  type PasswordProblem,
} from './password-strength.ts'
import { schoolToTell } from './school-to-tell.ts'
import {
  type BrowserSession,
  endSessionsOfPerson,
  type ProvenByPassword,
  withProof,
} from './sessions.ts'
import { signIn } from './sign-in.ts'
import { countTry, passwordChangeCounter } from './sign-in-counters.ts'

export interface NewPassword {
  readonly userId: string
  readonly email: string
  readonly hash: string
  /** The stored hash that the person proved to know; undefined if a link is the proof. */
  readonly replaces?: string | undefined
  readonly by:
    | 'current_password'
    | 'reset_link'
    | 'short_password'
    | 'sign_up'
    | 'invitation'
    | 'email_undone'
    | 'command_line'
    /** The password is one that no person knows (`person-operations.ts`). */
    | 'not_me'
    | 'end_everything'
  /** Whether apps lose their access too, at every school. */
  readonly endsAccess: boolean
  readonly requestId?: string | undefined
}

/** What the person is told, if it is not that the password was changed. */
const NEWS: Partial<Record<NewPassword['by'], typeof passwordChangedMail>> = {
  sign_up: firstPasswordMail,
  invitation: firstPasswordMail,
  not_me: everythingEndedMail,
  end_everything: everythingEndedMail,
}

/**
 * What sets a password, or ends the other sessions of a person, locks the person first: two
 * browsers may do it at once.
 */
export async function lockPerson(db: SchoolTx, userId: string): Promise<void> {
  await acrossSchools(db)
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .execute()
}

/**
 * Stores a new password, for every way to choose one. All sessions at every school end, all links
 * for a forgotten password, and, if asked for, all grants and pending codes; the person gets a mail
 * about it, unless no school may tell them (`notices.ts`). False if the password was changed in the
 * meantime: then nothing happens.
 */
export async function setPassword(db: SchoolTx, fresh: NewPassword): Promise<boolean> {
  return await storePassword(acrossSchools(db), fresh, db.schoolId)
}

/** Sets a password at no school, or at the school `here`. */
export async function storePassword(
  tx: Transaction<DB>,
  fresh: NewPassword,
  here?: string,
): Promise<boolean> {
  const { userId, replaces, requestId } = fresh
  const stored = await tx
    .updateTable('users')
    .set({ password_hash: fresh.hash, password_changed_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .$if(replaces !== undefined, (query) => query.where('password_hash', '=', replaces ?? ''))
    .returning(schoolToTell(sql`users.id`, here).as('school_to_tell'))
    .executeTakeFirst()
  if (stored === undefined) return false
  await endResetLinks(tx, userId)
  await endSessionsOfPerson(tx, userId)
  if (fresh.endsAccess) await endAccessOfPerson(tx, userId, 'new_password', requestId)
  const entry = {
    action: 'person.password_changed',
    outcome: 'ok',
    ...(fresh.by === 'command_line' || fresh.by === 'end_everything'
      ? { subject: userId, detail: byCommandLine(fresh.by) }
      : { actorUserId: userId, detail: { by: fresh.by } }),
    requestId,
  } as const
  if (stored.school_to_tell === null) {
    await recordForInstallation(tx, entry)
  } else {
    const known = atSchoolInTransaction(tx, stored.school_to_tell)
    await record(known, entry)
    await queueMail(known, NEWS[fresh.by] ?? passwordChangedMail, fresh.email, {})
  }
  if (fresh.replaces !== undefined || fresh.endsAccess) {
    const isEnd = NEWS[fresh.by] === everythingEndedMail
    await tellFormerAddress(tx, userId, isEnd ? 'everything_ended' : 'password_changed')
  }
  return true
}

/** Crosses schools: ends the links for a forgotten password that were sent until now. */
export async function endResetLinks(tx: Db, userId: string): Promise<void> {
  await tx
    .updateTable('password_resets')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

function byCommandLine(by: 'command_line' | 'end_everything') {
  return { ...(by === 'command_line' ? {} : { by }), via: 'command_line' }
}

export type PasswordChange =
  | ({ readonly kind: 'changed' } & ProvenByPassword)
  | { readonly kind: 'wrong_current' }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfterSeconds: number }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

interface PasswordChangeRequest {
  readonly session: BrowserSession
  readonly address: string
  readonly school: PasswordContext['school']
  readonly current: string
  readonly next: string
  /** Whether to disconnect all apps, at every school. */
  readonly endsAccess: boolean
  readonly requestId: string
}

/**
 * Changes the password of the signed-in person, who must type the current one. All sessions end, at
 * every school: a cookie may have been stolen. The caller starts a new one. Crosses schools,
 * because a person has one account for all of them.
 */
export async function changePassword(
  db: Db,
  schoolDb: SchoolDb,
  throttleKey: Buffer,
  request: PasswordChangeRequest,
): Promise<PasswordChange> {
  const { session, school, current, next, address } = request
  const { person } = session
  const minimum = minimumLength(await hasSecondFactor(db, person.id))
  const problem = await findPasswordProblem(next, { ...person, school }, minimum)
  if (problem !== undefined) return { kind: 'unfit', problem }
  // An attacker could guess passwords here as well, so it counts as a sign-in try. The session
  // proves the browser, and its counter is its own: strangers who guess at the sign-in page cannot
  // keep the person from changing the password.
  const proof = await signIn(db, throttleKey, {
    email: person.email,
    password: current,
    address,
    device: session.id,
    schoolId: schoolDb.schoolId,
  })
  if (proof.kind === 'throttled' || proof.kind === 'busy') return proof
  if (proof.kind === 'refused' || proof.person.id !== person.id) return { kind: 'wrong_current' }
  const changes = passwordChangeCounter(throttleKey, person.id)
  const retryAfterSeconds = await countTry(db, [changes], 60)
  if (retryAfterSeconds > 0) return { kind: 'throttled', retryAfterSeconds }
  const hash = await hashPassword(next, schoolDb.schoolId)
  const stored = await schoolDb.transaction(async (tx) => {
    await lockPerson(tx, person.id)
    // The session of this request ends here, too.
    await tx.confirmCaller()
    return await setPassword(tx, {
      userId: person.id,
      email: person.email,
      hash,
      replaces: proof.credential.hash,
      by: 'current_password',
      endsAccess: request.endsAccess,
      requestId: request.requestId,
    })
  })
  if (!stored) return { kind: 'wrong_current' }
  return {
    kind: 'changed',
    person,
    credential: { kind: 'password', hash },
    // The new session is the old one with another password: what it proved stays.
    methods: withProof(session.methods, 'password'),
  }
}
