import { sql } from 'kysely'
import { randomSecret } from '../../../foundation/crypto/random.ts'
import {
  type Keyring,
  openMessage,
  type SealedColumn,
  seal,
  sealMessage,
  unseal,
} from '../../../foundation/crypto/seal.ts'
import { base32, matchingStep, TOTP_SECRET_BYTES } from '../../../foundation/crypto/totp.ts'
import type { Db } from '../../../foundation/db/database.ts'

const PURPOSE = 'authenticators'

export const SEALED_AUTHENTICATORS: SealedColumn = {
  table: 'authenticators',
  column: 'sealed_secret',
  purpose: PURPOSE,
  key: { user_id: 'uuid' },
  context: ({ user_id: userId = '' }) => userId,
}

const SETUP_PURPOSE = 'new-authenticator'
const SETUP_LIFETIME_MS = 30 * 60 * 1000

/**
 * Crosses schools: a person has one authenticator app for all of them, as they have one password.
 */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return (await secondFactorSince(db, userId)) !== undefined
}

/** When it was added; undefined if the person has none. */
export async function secondFactorSince(db: Db, userId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('authenticators')
    .select('created_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.created_at
}

/** Whether a person has an authenticator app, in a statement about `users`. */
export const HAS_SECOND_FACTOR = sql<boolean>`
  exists (select from authenticators a where a.user_id = users.id)`.as('has_second_factor')

/** A secret that no code has confirmed yet. It is stored nowhere: the form carries it sealed. */
export interface AuthenticatorSetup {
  /** As people type it into an app. */
  readonly secret: string
  readonly sealed: string
}

/** A new secret, or the same one for the next try. */
export function setUpAuthenticator(
  keyring: Keyring,
  userId: string,
  secret: Buffer = randomSecret(TOTP_SECRET_BYTES),
): AuthenticatorSetup {
  const message = { secret: secret.toString('base64url') }
  const expiresAt = Date.now() + SETUP_LIFETIME_MS
  const sealed = sealMessage(keyring, SETUP_PURPOSE, userId, message, expiresAt)
  return { secret: base32(secret), sealed }
}

/** The secret that was sent back; undefined if it is forged, too old or of another person. */
export function openSetup(
  keyring: Keyring,
  userId: string,
  sealed: string | undefined,
): Buffer | undefined {
  const opened = openMessage(keyring, SETUP_PURPOSE, userId, sealed, Date.now())
  const { secret } = (opened ?? {}) as { secret?: unknown }
  return typeof secret === 'string' ? Buffer.from(secret, 'base64url') : undefined
}

/**
 * Stores a secret that a code has confirmed, and returns when. Undefined if the person has an
 * authenticator already.
 */
export async function addAuthenticator(
  db: Db,
  keyring: Keyring,
  fresh: { readonly userId: string; readonly secret: Buffer; readonly step: number },
): Promise<Date | undefined> {
  const { userId, secret, step } = fresh
  const row = await db
    .insertInto('authenticators')
    .values({
      user_id: userId,
      sealed_secret: seal(keyring.key(PURPOSE), secret, userId),
      last_step: step,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('created_at')
    .executeTakeFirst()
  return row?.created_at
}

interface AuthenticatorRow {
  sealed_secret: Buffer
  created_at: Date
  last_step: number
  seconds: number
}

/** The secret of a person's authenticator, or undefined if they have none. */
export async function readAuthenticator(
  db: Db,
  keyring: Keyring,
  userId: string,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('authenticators')
    .select('sealed_secret')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row === undefined ? undefined : openSecret(keyring, userId, row.sealed_secret)
}

function openSecret(keyring: Keyring, userId: string, sealed: Buffer): Buffer {
  const secret = unseal(keyring.keys(PURPOSE), sealed, userId)
  if (secret === undefined) throw new UnreadableAuthenticatorError()
  return secret
}

/**
 * Whether this is a code of now that was not used before. Its step is stored by an UPDATE that
 * compares it, so of two requests with one code a single one succeeds. The clock is the database's.
 */
export async function useTotpCode(
  db: Db,
  keyring: Keyring,
  userId: string,
  code: string,
): Promise<boolean> {
  const { rows } = await sql<AuthenticatorRow>`
    select sealed_secret, created_at, last_step, extract(epoch from now())::float8 as seconds
    from authenticators where user_id = ${userId}`.execute(db)
  const [row] = rows
  if (row === undefined) return false
  const secret = openSecret(keyring, userId, row.sealed_secret)
  const step = matchingStep(secret, code, row.seconds, row.last_step)
  if (step === undefined) return false
  const { numUpdatedRows } = await db
    .updateTable('authenticators')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    // Still the same authenticator; its secret may have been sealed again meanwhile.
    .where('created_at', '=', row.created_at)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

class UnreadableAuthenticatorError extends Error {
  override readonly name = 'UnreadableAuthenticatorError'

  constructor() {
    super(
      'The secret of an authenticator cannot be decrypted with SCHOOLGATE_SECRET: the secret was changed, or the row is from another installation. `schoolgate user reset-factors` removes it.',
    )
  }
}
