import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { uuidFromBytes, uuidToBytes } from '../../../foundation/crypto/random.ts'
import { type Keyring, seal, unseal } from '../../../foundation/crypto/seal.ts'

const PURPOSE = 'form-owners'
const UUID_BYTES = 16

/**
 * Whom a form was made for, so that this is known when the session has ended and its row is gone.
 */
export interface FormOwner {
  readonly sessionId: string
  readonly userId: string
}

/** Sealed for the school. Another text each time, as form tokens are. */
export function sealOwner(
  keyring: Keyring,
  schoolId: string,
  { id, person }: Pick<BrowserSession, 'id' | 'person'>,
): string {
  const plain = Buffer.concat([uuidToBytes(id), uuidToBytes(person.id)])
  return seal(keyring.key(PURPOSE), plain, schoolId).toString('base64url')
}

/** Undefined if it is forged or another school's. */
export function openOwner(
  keyring: Keyring,
  schoolId: string,
  sealed: string,
): FormOwner | undefined {
  const plain = unseal(keyring.keys(PURPOSE), Buffer.from(sealed, 'base64url'), schoolId)
  if (plain === undefined) return undefined
  return {
    sessionId: uuidFromBytes(plain.subarray(0, UUID_BYTES)),
    userId: uuidFromBytes(plain.subarray(UUID_BYTES)),
  }
}
