import { randomBytes, randomInt } from 'node:crypto'
import { hmacSha256 } from '../../../foundation/crypto/digest.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { TOTP_DIGITS } from '../../../foundation/crypto/totp.ts'
import type { Db } from '../../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { queueNotice, recordAboutPerson } from '../notices.ts'
import type { Person } from '../person.ts'
import { codeCounters, countTry, type Requester, uncountTries } from '../sign-in-counters.ts'
import { readAuthenticator, useTotpCode } from './authenticators.ts'

export const RECOVERY_CODES = 10
/**
 * Five groups of four digits, 66 bits. Digits only: the field shows phones the keys for numbers.
 */
const GROUPS = 5
const FORM = /^\d{20}$/
const PURPOSE = 'recovery-codes'

/** Removes what people add: spaces, and the hyphens of a recovery code. */
export function normalCode(typed: string): string {
  return typed.replace(/[\s-]/g, '')
}

function isRecoveryCode(code: string): boolean {
  return FORM.test(code)
}

/**
 * Replaces all recovery codes of a person. The codes are shown once: only keyed hashes are stored.
 */
export async function renewRecoveryCodes(
  db: Db,
  keyring: Keyring,
  userId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, aCode)
  const key = await keyOf(db, keyring, userId)
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, hash: hashOf(key, userId, normalCode(code)) })))
    .execute()
  return codes
}

function aCode(): string {
  const group = () => String(randomInt(10_000)).padStart(4, '0')
  return Array.from({ length: GROUPS }, group).join('-')
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('left'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return left
}

/** Whether the person has this code; it is deleted, so that it works once. */
export async function useRecoveryCode(
  db: Db,
  keyring: Keyring,
  userId: string,
  code: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hashOf(await keyOf(db, keyring, userId), userId, code))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * A reader of the database cannot try codes without this key. It is made from the sealed secret of
 * the authenticator, because a key of the installation would end all codes when its secret is
 * replaced.
 */
async function keyOf(db: Db, keyring: Keyring, userId: string): Promise<Buffer> {
  const secret = await readAuthenticator(db, keyring, userId)
  // Without an authenticator there are no codes, and no key fits.
  return hmacSha256(secret ?? randomBytes(32), PURPOSE)
}

function hashOf(key: Buffer, userId: string, code: string): Buffer {
  return hmacSha256(key, JSON.stringify([userId, code]))
}

const WINDOW_MINUTES = 15
const TOTP_CODE = new RegExp(`^\\d{${TOTP_DIGITS}}$`)

export type CodeOutcome =
  | { readonly kind: 'right'; readonly method: 'code' | 'recovery_code' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

interface CodeAttempt extends Requester {
  readonly person: Pick<Person, 'id' | 'email'>
  /** A code of the app, or a recovery code: people need not say which. */
  readonly typed: string
  readonly requestId: string
}

/**
 * Checks the second factor of a person who proved the first, or who is signed in. Each code works
 * once. Crosses schools, because a person has one account.
 */
export async function checkCode(
  schoolDb: SchoolDb,
  keyring: Keyring,
  attempt: CodeAttempt,
): Promise<CodeOutcome> {
  const code = normalCode(attempt.typed)
  if (isRecoveryCode(code)) return await tryRecoveryCode(schoolDb, keyring, attempt, code)
  if (!TOTP_CODE.test(code)) return { kind: 'wrong' }
  const db = acrossSchools(schoolDb)
  const counters = codeCounters(keyring.key('sign-in-throttle'), attempt.person.id, attempt)
  const retryAfterSeconds = await countTry(db, counters, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: counters })
    return { kind: 'throttled', retryAfterSeconds }
  }
  if (!(await useTotpCode(db, keyring, attempt.person.id, code))) return { kind: 'wrong' }
  await uncountTries(db, { returned: counters })
  return { kind: 'right', method: 'code' }
}

/**
 * Not counted: 66 bits cannot be guessed. So a person whom a thief of the password locks out with
 * wrong codes can still sign in with one of these.
 */
async function tryRecoveryCode(
  schoolDb: SchoolDb,
  keyring: Keyring,
  { person, requestId }: CodeAttempt,
  code: string,
): Promise<CodeOutcome> {
  return await schoolDb.transaction(async (tx) => {
    const db = acrossSchools(tx)
    const userId = person.id
    if (!(await useRecoveryCode(db, keyring, userId, code))) return { kind: 'wrong' }
    const left = await countRecoveryCodes(db, userId)
    const entry = { action: 'factor.used_recovery_code', actorUserId: userId, requestId } as const
    await recordAboutPerson(db, userId, { ...entry, detail: { left } }, tx)
    await queueNotice(tx, 'recovery_code_used', person)
    return { kind: 'right', method: 'recovery_code' }
  })
}
