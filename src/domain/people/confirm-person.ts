import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type BrowserSession, renewProof } from './sessions.ts'
import { signIn } from './sign-in.ts'

export type Confirmation =
  /** The session has a new secret; the browser must keep this cookie. */
  | { readonly kind: 'confirmed'; readonly cookie: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfterSeconds: number }

interface TypedPassword {
  readonly session: BrowserSession
  readonly password: string
  readonly address: string
}

/**
 * The signed-in person types the password again. Counted as a sign-in try, with the counter of the session that a
 * change of the password has too: who stole a session cannot guess here, and strangers at the sign-in page cannot lock
 * the person out. The email is that of the session, so the password of another person fits nothing.
 */
export async function confirmByPassword(
  db: Db,
  at: SchoolDb,
  throttleKey: Buffer,
  { session, password, address }: TypedPassword,
): Promise<Confirmation> {
  const { person, id } = session
  const proof = await signIn(db, throttleKey, {
    email: person.email,
    password,
    address,
    device: id,
    schoolId: at.schoolId,
  })
  if (proof.kind !== 'signed_in') return proof
  // The account of that email may be another one since the session was read.
  const renewed = await renewProof(at, id, proof)
  return renewed === undefined ? { kind: 'refused' } : { kind: 'confirmed', cookie: renewed.cookie }
}
