import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { constantTimeEqual, sha256 } from '../../foundation/crypto/digest.ts'
import type { Db } from '../../foundation/db/database.ts'
import { hasSchools, lockEmptyInstallation } from './empty-installation.ts'

export const SETUP_CODE_MINUTES = 30
export const SETUP_CODE_TRIES = 5

/** Without letters and digits that look alike. Twelve of them are 58 bits. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const GROUPS = 3
const GROUP_LENGTH = 4

/**
 * Makes the code that the first-run page asks for, and replaces an earlier one: the code in the newest log counts.
 * Undefined if there is a school, because then there is no such page.
 */
export async function renewSetupCode(db: Db): Promise<string | undefined> {
  const code = randomCode()
  return await db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    if (await hasSchools(tx)) return undefined
    const row = { code_hash: hashOf(code), tries: 0, made_at: sql<Date>`now()` }
    await tx
      .insertInto('setup_codes')
      .values(row)
      .onConflict((conflict) => conflict.column('single').doUpdateSet(row))
      .execute()
    return code
  })
}

export type SetupTry =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly triesLeft: number }
  /** Expired, tried too often, or never made: a new one is needed. */
  | { readonly kind: 'over' }

/** Each try counts, in one statement: guesses that are sent at once count like guesses one after the other. */
export async function trySetupCode(db: Db, typed: string): Promise<SetupTry> {
  const { rows } = await sql<{ code_hash: Buffer; tries: number }>`
    update setup_codes set tries = tries + 1
    where tries < ${SETUP_CODE_TRIES} and made_at > now() - make_interval(mins => ${SETUP_CODE_MINUTES})
    returning code_hash, tries`.execute(db)
  const [row] = rows
  if (row === undefined) return { kind: 'over' }
  if (constantTimeEqual(row.code_hash, hashOf(typed))) return { kind: 'right' }
  const triesLeft = SETUP_CODE_TRIES - row.tries
  return triesLeft === 0 ? { kind: 'over' } : { kind: 'wrong', triesLeft }
}

function randomCode(): string {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)]
  const group = () => Array.from({ length: GROUP_LENGTH }, letter).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** In any case, with or without the hyphens. */
function hashOf(code: string): Buffer {
  return sha256(code.toUpperCase().replace(/[^0-9A-Z]/g, ''))
}
