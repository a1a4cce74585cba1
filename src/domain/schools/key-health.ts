import type { Keyring } from '../../foundation/crypto/seal.ts'
import { unseal } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import { SIGNING_KEY_PURPOSE } from './signing.ts'

const PAGE = 500

export interface KeyHealth {
  readonly sealedKeys: number
  /** Keys in use that cannot be decrypted with this installation's secret, as `subdomain/kid`. */
  readonly unreadable: readonly string[]
}

/** Crosses schools: tries the secret on every key that signs or may sign. */
export async function checkSealedKeys(db: Db, keyring: Keyring): Promise<KeyHealth> {
  const keys = keyring.keys(SIGNING_KEY_PURPOSE)
  const unreadable: string[] = []
  let sealedKeys = 0
  let after = { school: '00000000-0000-0000-0000-000000000000', kid: '' }
  for (;;) {
    const rows = await db
      .selectFrom('signing_keys as k')
      .innerJoin('schools as s', 's.id', 'k.school_id')
      .select(['k.school_id', 'k.kid', 'k.sealed_private_key', 's.subdomain'])
      .where('k.stage', '<>', 'retired')
      .where((eb) =>
        eb(
          eb.refTuple('k.school_id', 'k.kid'),
          '>',
          eb.tuple(eb.val(after.school), eb.val(after.kid)),
        ),
      )
      .orderBy('k.school_id')
      .orderBy('k.kid')
      .limit(PAGE)
      .execute()
    for (const { school_id, kid, sealed_private_key, subdomain } of rows) {
      if (unseal(keys, sealed_private_key, school_id) === undefined)
        unreadable.push(`${subdomain}/${kid}`)
      after = { school: school_id, kid }
    }
    sealedKeys += rows.length
    if (rows.length < PAGE) return { sealedKeys, unreadable }
  }
}

/** Crosses schools: the subdomains of schools without any key, which cannot issue ID tokens. */
export async function schoolsWithoutKeys(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('schools as s')
    .select('s.subdomain')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('signing_keys as k')
            .whereRef('k.school_id', '=', 's.id')
            .where('k.stage', '<>', 'retired'),
        ),
      ),
    )
    .orderBy('s.subdomain')
    .execute()
  return rows.map((row) => row.subdomain)
}
