import { randomInt } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { constantTimeEqual, sha256 } from '../../foundation/crypto/digest.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor/actor.ts'
import { addMember } from '../people/member-roles.ts'
import type { NewSchool } from '../schools/school-details.ts'
import { createSchool } from '../schools/write-school.ts'

export interface FirstSchool {
  readonly school: NewSchool
  readonly owner: { readonly email: string; readonly name: string; readonly passwordHash: string }
}

/**
 * Crosses schools: makes the first school and its owner, both or neither. False if there is a
 * school by now, made by another request, process or command.
 */
export async function createFirstSchool(
  db: Db,
  { school, owner }: FirstSchool,
  by: AuditedActor,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    if (await hasSchools(tx)) return false
    const id = await createSchool(tx, school, by)
    await addMember(atSchoolInTransaction(tx, id), { ...owner, roles: ['owner'] }, by)
    await tx.deleteFrom('setup_codes').where('single', '=', true).execute()
    return true
  })
}

/** A number that no other lock of this server uses. */
const FIRST_SCHOOL_LOCK = 5_147_001

/** Crosses schools: whether there is any. */
export async function hasSchools(db: Db): Promise<boolean> {
  const school = await db.selectFrom('schools').select('id').limit(1).executeTakeFirst()
  return school !== undefined
}

/**
 * What fills an empty installation (the demo world, the first-run page) takes this lock and looks
 * again, so that of several at once only one succeeds. The lock ends with the transaction.
 */
export async function lockEmptyInstallation(tx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FIRST_SCHOOL_LOCK})`.execute(tx)
}

/**
 * Remembers that there is a school: schools are never deleted. Without this, strangers who send
 * unknown host names would cost one more statement each.
 */
export class EmptyInstallation {
  readonly #db: Db
  #hasSchools = false

  constructor(db: Db) {
    this.#db = db
  }

  async isEmpty(): Promise<boolean> {
    if (!this.#hasSchools) this.#hasSchools = await hasSchools(this.#db)
    return !this.#hasSchools
  }
}

export const SETUP_CODE_MINUTES = 30
export const SETUP_CODE_TRIES = 5

/** Without letters and digits that look alike. Twelve of them are 58 bits. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const GROUPS = 3
const GROUP_LENGTH = 4

/**
 * Makes the code that the first-run page asks for, and replaces an earlier one: the code in the
 * newest log counts. Undefined if there is a school, because then there is no such page.
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

/**
 * Each try counts, in one statement: guesses that are sent at once count like guesses one after the
 * other.
 */
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
