import type { Transaction } from 'kysely'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { matchingStep } from '../../../foundation/crypto/totp.ts'
import type { Db } from '../../../foundation/db/database.ts'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
} from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor/actor.ts'
import { changeEntry, recordChange, recordForInstallation } from '../../audit/audit.ts'
import { findSchoolToTell, queueNotice, recordAboutPerson } from '../notices.ts'
import type { Person } from '../person.ts'
import { addCodeProof, type BrowserSession, endSessionsOfPerson } from '../sessions.ts'
import { lockPerson } from '../set-password.ts'
import {
  type AuthenticatorSetup,
  addAuthenticator,
  openSetup,
  secondFactorSince,
  setUpAuthenticator,
} from './authenticators.ts'
import { endTrust, keepFactors } from './lost-factors.ts'
import { countRecoveryCodes, normalCode, renewRecoveryCodes } from './recovery-codes.ts'

export interface SecondFactor {
  readonly since: Date
  readonly codesLeft: number
}

export async function findSecondFactor(db: Db, userId: string): Promise<SecondFactor | undefined> {
  const since = await secondFactorSince(db, userId)
  return since && { since, codesLeft: await countRecoveryCodes(db, userId) }
}

export type SwitchedOn =
  | { readonly kind: 'on'; readonly since: Date; readonly codes: readonly string[] }
  | { readonly kind: 'wrong_code'; readonly setup: AuthenticatorSetup }
  | { readonly kind: 'expired' }
  | { readonly kind: 'already_on' }

/**
 * Switches the second factor on once a code shows that the app has the secret. All other sessions
 * of the person end, at every school: they were begun without it.
 */
export async function switchOnSecondFactor(
  schoolDb: SchoolDb,
  keyring: Keyring,
  session: BrowserSession,
  request: { readonly setup: string; readonly typed: string; readonly requestId: string },
): Promise<SwitchedOn> {
  const userId = session.person.id
  const secret = openSetup(keyring, userId, request.setup)
  if (secret === undefined) return { kind: 'expired' }
  const now = session.readAt.getTime() / 1000
  const step = matchingStep(secret, normalCode(request.typed), now, 0)
  if (step === undefined) {
    return { kind: 'wrong_code', setup: setUpAuthenticator(keyring, userId, secret) }
  }
  return await schoolDb.transaction(async (tx) => {
    const db = acrossSchools(tx)
    await lockPerson(tx, userId)
    const since = await addAuthenticator(db, keyring, { userId, secret, step })
    if (since === undefined) return { kind: 'already_on' }
    const codes = await renewRecoveryCodes(db, keyring, userId)
    await endSessionsOfPerson(db, userId, session.id)
    await addCodeProof(tx, session)
    const { requestId } = request
    const entry = { action: 'factor.added', actorUserId: userId, requestId } as const
    await recordAboutPerson(db, userId, entry, tx)
    await queueNotice(tx, 'factor_added', session.person)
    return { kind: 'on', since, codes }
  })
}

/**
 * Ten new recovery codes; the old ones no longer work, and the person is told. Undefined if the
 * second factor is off.
 */
export async function replaceRecoveryCodes(
  schoolDb: SchoolDb,
  keyring: Keyring,
  person: Person,
  requestId: string,
): Promise<readonly string[] | undefined> {
  const userId = person.id
  return await schoolDb.transaction(async (tx) => {
    const db = acrossSchools(tx)
    const locked = await db
      .selectFrom('authenticators')
      .select('user_id')
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst()
    if (locked === undefined) return undefined
    const codes = await renewRecoveryCodes(db, keyring, userId)
    const entry = { action: 'factor.codes_renewed', actorUserId: userId, requestId } as const
    await recordAboutPerson(db, userId, entry, tx)
    await queueNotice(tx, 'recovery_codes_replaced', person)
    return codes
  })
}

/** From now on the password alone signs in. Recovery codes and trusted browsers go too. */
export async function switchOffSecondFactor(
  schoolDb: SchoolDb,
  person: Person,
  requestId: string,
): Promise<void> {
  await schoolDb.transaction(async (tx) => {
    const db = acrossSchools(tx)
    const userId = person.id
    if (!(await removeAuthenticator(db, userId))) return
    await endTrust(db, userId)
    const entry = { action: 'factor.removed', actorUserId: userId, requestId } as const
    await recordAboutPerson(db, userId, entry, tx)
    await queueNotice(tx, 'factor_removed', person)
  })
}

/**
 * Crosses schools: for the command line, if a person lost the app and all codes. Returns what
 * ended. The reason, and the number of sessions at all schools, are for the audit of the
 * installation, which no school reads.
 */
export async function resetFactors(
  tx: Transaction<DB>,
  person: Pick<Person, 'id' | 'email'>,
  reason: string,
  by: AuditedActor,
): Promise<{ readonly hadSecondFactor: boolean; readonly sessions: number }> {
  const { id: subject } = person
  const hadSecondFactor = await removeAuthenticator(tx, subject)
  await keepFactors(tx, subject)
  const sessions = await endSessionsOfPerson(tx, subject)
  const change = { action: 'factor.removed', subject } as const
  await recordForInstallation(tx, changeEntry(by, { ...change, detail: { reason, sessions } }))
  const told = hadSecondFactor ? await findSchoolToTell(tx, subject) : undefined
  if (told !== undefined) {
    const db = atSchoolInTransaction(tx, told)
    await recordChange(db, by, change)
    await queueNotice(db, 'factor_reset', person)
  }
  return { hadSecondFactor, sessions }
}

async function removeAuthenticator(db: Db, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('authenticators')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
