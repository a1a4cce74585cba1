import { type Keyring, seal, unseal } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import { checkSealedKeys } from '../schools/key-health.ts'

const PURPOSE = 'secret-check'
const PLAIN = Buffer.from('Schoolgate')

/**
 * Whether the keyring has the secret of this database. A sealed value tells; a database from before there was one is
 * judged by its signing keys. `new`: nothing in it was sealed yet.
 */
export async function judgeSecret(db: Db, keyring: Keyring): Promise<'right' | 'wrong' | 'new'> {
  const row = await db.selectFrom('installations').select('secret_check').executeTakeFirst()
  if (row !== undefined) {
    return unseal(keyring.keys(PURPOSE), row.secret_check, PURPOSE) === undefined
      ? 'wrong'
      : 'right'
  }
  const { sealedKeys, unreadable } = await checkSealedKeys(db, keyring)
  if (sealedKeys === 0) return 'new'
  return unreadable.length === sealedKeys ? 'wrong' : 'right'
}

/** Of several processes that start at once, the first one decides. */
export async function keepSecretCheck(db: Db, keyring: Keyring): Promise<void> {
  await db
    .insertInto('installations')
    .values({ secret_check: seal(keyring.key(PURPOSE), PLAIN, PURPOSE) })
    .onConflict((conflict) => conflict.column('single').doNothing())
    .execute()
}

/** From now on this secret is the right one, although what another one sealed stays closed. */
export async function acceptSecret(db: Db, keyring: Keyring): Promise<void> {
  const row = { secret_check: seal(keyring.key(PURPOSE), PLAIN, PURPOSE) }
  await db
    .insertInto('installations')
    .values(row)
    .onConflict((conflict) => conflict.column('single').doUpdateSet(row))
    .execute()
}
