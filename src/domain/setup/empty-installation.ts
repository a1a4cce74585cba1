import { sql, type Transaction } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'

/** A number that no other lock of this server uses. */
const FIRST_SCHOOL_LOCK = 5_147_001

/** Crosses schools: whether there is any. */
export async function hasSchools(db: Db): Promise<boolean> {
  const school = await db.selectFrom('schools').select('id').limit(1).executeTakeFirst()
  return school !== undefined
}

/**
 * What fills an empty installation (the demo world, the first-run page) takes this lock and looks again, so
 * that of several at once only one succeeds. The lock ends with the transaction.
 */
export async function lockEmptyInstallation(tx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FIRST_SCHOOL_LOCK})`.execute(tx)
}

/**
 * Remembers that there is a school: schools are never deleted. Without this, strangers who send unknown host names
 * would cost one more statement each.
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
