import type { KeyObject } from 'node:crypto'
import { readPrivateKey, signEs256 } from '../../foundation/crypto/es256.ts'
import { type Keyring, unseal } from '../../foundation/crypto/seal.ts'
import type { SealedColumn } from '../../foundation/crypto/sealed-column.ts'
import type { School, SchoolKey } from './school.ts'

export const SIGNING_KEY_PURPOSE = 'signing-keys'

export const SEALED_SIGNING_KEYS: SealedColumn = {
  table: 'signing_keys',
  column: 'sealed_private_key',
  purpose: SIGNING_KEY_PURPOSE,
  key: { school_id: 'uuid', kid: 'text' },
  context: ({ school_id: schoolId = '' }) => schoolId,
}

/** The keys that a verifier may need: those that will sign, that sign, and that signed within a day. */
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

/** The signer with the school's active key, or undefined if the school has none. Throws UnreadableKeyError. */
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
