import type { Keyring } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { isKeyAlone } from './authentication-context.ts'
import { checkCode } from './factors/recovery-codes.ts'
import { type PasskeyProof, type ProofRequest, provePasskey } from './passkeys/prove-passkey.ts'
import { type BrowserSession, type ProvenPerson, renewProof, withProof } from './sessions.ts'
import { signIn } from './sign-in.ts'
import type { Requester } from './sign-in-counters.ts'

type Renewal =
  /** The session has a new secret; the browser must keep this cookie. */
  { readonly kind: 'confirmed'; readonly cookie: string } | { readonly kind: 'refused' }

export type Confirmation =
  | Renewal
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfterSeconds: number }

interface TypedPassword {
  readonly session: BrowserSession
  readonly password: string
  readonly address: string
}

/**
 * The signed-in person types the password again. Counted as a sign-in try, with the counter of the
 * session that a change of the password has too: who stole a session cannot guess here, and
 * strangers at the sign-in page cannot lock the person out. The email is that of the session, so
 * the password of another person fits nothing.
 */
export async function confirmByPassword(
  db: Db,
  schoolDb: SchoolDb,
  throttleKey: Buffer,
  { session, password, address }: TypedPassword,
): Promise<Confirmation> {
  const { person, id } = session
  const proof = await signIn(db, throttleKey, {
    email: person.email,
    password,
    address,
    device: id,
    schoolId: schoolDb.schoolId,
  })
  if (proof.kind !== 'signed_in') return proof
  // A person with a second factor confirms with a code: the password alone signs in nowhere.
  if (proof.hasSecondFactor) return { kind: 'refused' }
  // The account of that email may be another one since the session was read.
  return await renew(schoolDb, session, {
    ...proof,
    methods: withProof(session.methods, 'password'),
  })
}

interface TypedCode extends Requester {
  readonly session: BrowserSession
  readonly typed: string
  readonly requestId: string
}

/** The signed-in person types a code of the authenticator app, or a recovery code. */
export async function confirmByCode(
  db: SchoolDb,
  keyring: Keyring,
  { session, ...attempt }: TypedCode,
): Promise<Confirmation> {
  const { person, methods } = session
  const outcome = await checkCode(db, keyring, { ...attempt, person })
  if (outcome.kind === 'throttled') return outcome
  if (outcome.kind === 'wrong') return { kind: 'refused' }
  return await renew(db, session, {
    person,
    credential: { kind: 'second_factor' },
    methods: withProof(methods, outcome.method),
  })
}

async function renew(db: SchoolDb, { id }: BrowserSession, proven: ProvenPerson): Promise<Renewal> {
  const renewed = await renewProof(db, id, proven)
  return renewed === undefined ? { kind: 'refused' } : { kind: 'confirmed', cookie: renewed.cookie }
}

export type PasskeyConfirmation =
  | Renewal
  | Exclude<PasskeyProof, { kind: 'proven' | 'unverified' }>
  | { readonly kind: 'unverified' }

/** A device of the signed-in person proves a passkey. One of another person is refused. */
export async function confirmByPasskey(
  db: SchoolDb,
  session: BrowserSession,
  request: ProofRequest,
): Promise<PasskeyConfirmation> {
  const proof = await provePasskey(db, { ...request, userId: session.person.id })
  if (proof.kind !== 'proven') return proof
  const methods = proof.methods.reduce(withProof, session.methods)
  if (isKeyAlone(methods)) return { kind: 'unverified' }
  return await renew(db, session, { ...proof, methods })
}
