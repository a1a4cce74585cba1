import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { readPrivateKey, signEs256 } from '../../foundation/crypto/es256.ts'
import { type Keyring, type SealedColumn, unseal } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { KeyStage, School, SchoolKey } from './school.ts'

export const SIGNING_KEY_PURPOSE = 'signing-keys'

export const SEALED_SIGNING_KEYS: SealedColumn = {
  table: 'signing_keys',
  column: 'sealed_private_key',
  purpose: SIGNING_KEY_PURPOSE,
  key: { school_id: 'uuid', kid: 'text' },
  context: ({ school_id: schoolId = '' }) => schoolId,
}

/**
 * The keys that a verifier may need: those that will sign, that sign, and that signed within a day.
 */
export function publishedKeys(school: School): readonly SchoolKey[] {
  return school.keys
}

/** Whether the code exchange issues ID tokens. A key may be published long before it signs. */
export function signsIdTokens(school: School): boolean {
  return school.sealedSigningKey !== undefined
}

const opened = new Map<string, KeyObject>()
const MAX_OPENED = 10_000

/** The school goes on without ID tokens until it has another key. */
export class UnreadableKeyError extends Error {
  override readonly name = 'UnreadableKeyError'
}

/**
 * The signer with the school's active key, or undefined if the school has none. Throws
 * UnreadableKeyError.
 */
export function findSigner(
  school: School,
  keyring: Keyring,
): ((claims: Readonly<Record<string, unknown>>) => string) | undefined {
  if (school.sealedSigningKey === undefined) return undefined
  const { kid, sealed } = school.sealedSigningKey
  const key = openKey(school.id, kid, sealed, keyring)
  return (claims) => signEs256(key, kid, claims)
}

function openKey(schoolId: string, kid: string, sealed: Buffer, keyring: Keyring): KeyObject {
  const name = `${schoolId}/${kid}`
  const known = opened.get(name)
  if (known !== undefined) return known
  const plain = unseal(keyring.keys(SIGNING_KEY_PURPOSE), sealed, schoolId)
  if (plain === undefined) {
    throw new UnreadableKeyError(
      `The signing key ${kid} cannot be decrypted with SCHOOLGATE_SECRET: the secret was changed, or the row is from another installation.`,
    )
  }
  const key = readPrivateKey(plain)
  if (opened.size >= MAX_OPENED) opened.clear()
  opened.set(name, key)
  return key
}

/**
 * How long a key is published before it may sign. Our header lets clients cache the JWKS for an
 * hour, but some verifiers ignore it and fetch the JWKS twice a day. They refuse a token that is
 * signed with a key they have not seen, so the key waits until the slowest of them have it.
 */
export const KEY_LEAD_SECONDS = 24 * 60 * 60

export interface ListedKey {
  readonly kid: string
  readonly stage: KeyStage
  readonly publishedAt: Date
  readonly activatedAt: Date | null
  readonly retiredAt: Date | null
  /** When every cached JWKS contains the key. */
  readonly readyAt: Date
  readonly ready: boolean
}

/** Newest first. */
export async function listKeys(db: SchoolDb): Promise<readonly ListedKey[]> {
  return await selectKeys(db, sql``)
}

async function selectKeys(
  db: SchoolDb,
  locking: ReturnType<typeof sql>,
): Promise<readonly ListedKey[]> {
  const ready = sql`published_at + make_interval(secs => ${KEY_LEAD_SECONDS})`
  const { rows } = await db.run(sql<ListedKey>`
    select kid, stage, published_at as "publishedAt", activated_at as "activatedAt",
      retired_at as "retiredAt", ${ready} as "readyAt", ${ready} <= now() as ready
    from signing_keys where school_id = ${db.schoolId}
    order by published_at desc, kid ${locking}`)
  return rows
}

/**
 * Every key of the school, locked, so that a second change waits and sees the result of the first.
 */
export async function lockKeys(tx: SchoolTx): Promise<readonly ListedKey[]> {
  return await selectKeys(tx, sql`for update`)
}

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
    .where('s.deleted_at', 'is', null)
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
