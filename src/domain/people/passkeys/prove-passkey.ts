import { type RawBuilder, sql } from 'kysely'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import type { Role } from '../../actor/actor.ts'
import { record } from '../../audit/audit.ts'
import { isDeviceAlone } from '../authentication-context.ts'
import type { ProofMethod, ProvenPerson } from '../sessions.ts'
import {
  countTry,
  passkeyCounters,
  type Requester,
  type ThrottleLimit,
  waitOf,
} from '../sign-in-counters.ts'
import type { PasskeyQuestion } from './add-passkey.ts'
import {
  type ChallengeForm,
  issueProofChallenge,
  openProofChallenge,
  type ProofAnswer,
  parseProofAnswer,
} from './challenge.ts'
import { type RelyingParty, type VerifiedProof, verifyProof } from './verify.ts'

const WINDOW_MINUTES = 15

/**
 * Asks a device for any passkey of this school. It names the person itself, so no email is needed.
 */
export function askForProof(form: ChallengeForm, party: RelyingParty): PasskeyQuestion {
  const { value, sealed } = issueProofChallenge(form)
  return {
    options: { challenge: value, rpId: party.id, userVerification: 'preferred' },
    sealed,
  }
}

export type PasskeyProof =
  | ({ readonly kind: 'proven' } & ProvenPerson)
  /**
   * The device did not check that the owner holds it, and for an owner or admin that is not enough.
   */
  | ({ readonly kind: 'unverified' } & ProvenPerson)
  /** `unknown`: no passkey here has this id, so the browser may forget it. */
  | { readonly kind: 'refused'; readonly unknown?: string }
  /** The form is too old, or an answer to a newer one was given. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

export interface ProofRequest {
  readonly form: ChallengeForm
  readonly party: RelyingParty
  readonly throttleKey: Buffer
  /** Who tries, if the answer names a passkey of the account with this email. */
  readonly requesterOf: (email: string | undefined) => Requester
  readonly sealed: string | undefined
  readonly answer: string
  /** Only passkeys of this person are accepted. */
  readonly userId?: string | undefined
  readonly requestId: string
}

/**
 * Checks the answer of a device and, if it is right, uses up its challenge. Failures are counted
 * for who tries. They are counted afterwards, unlike those of passwords: a signature cannot be
 * guessed, so the limit only bounds the work.
 */
export async function provePasskey(db: SchoolDb, request: ProofRequest): Promise<PasskeyProof> {
  const challenge = openProofChallenge(request.form, request.sealed)
  if (challenge === undefined) return { kind: 'expired' }
  const answer = parseProofAnswer(request.answer)
  if (answer === undefined) return { kind: 'refused' }
  const countersOf = (email?: string) =>
    passkeyCounters(request.throttleKey, db.schoolId, request.requesterOf(email))
  const { seconds, passkey } = await findPasskey(db, answer, countersOf())
  const counters = countersOf(passkey?.email)
  const wait = seconds > 0 && passkey !== undefined ? await secondsOf(db, counters) : seconds
  if (wait > 0) return { kind: 'throttled', retryAfterSeconds: wait }
  const verified =
    passkey === undefined
      ? undefined
      : await verifyProof({
          ...{ answer, challenge: challenge.challenge, party: request.party },
          publicKey: passkey.public_key,
        })
  if (
    passkey === undefined ||
    verified === undefined ||
    !fits(passkey, answer, verified, request)
  ) {
    await countTry(acrossSchools(db), counters, WINDOW_MINUTES)
    return passkey === undefined ? { kind: 'refused', unknown: answer.id } : { kind: 'refused' }
  }
  if (passkey.cloned) return { kind: 'refused' }
  // A page that was reloaded sends its answer again, with the same count: that is no copy of the
  // key.
  if (passkey.last_challenge_at >= challenge.issuedAt) return { kind: 'expired' }
  if (wentBackwards(passkey.counter, verified.counter)) {
    await markCloned(db, passkey, request.requestId)
    return { kind: 'refused' }
  }
  if (!(await use(db, passkey, verified, challenge.issuedAt))) return { kind: 'expired' }
  const { id, user_id, name, email, avatar_url } = passkey
  const methods: ProofMethod[] = [verified.isUserVerified ? 'passkey' : 'unverified_passkey']
  return {
    kind: isDeviceAlone(methods, passkey.roles) ? 'unverified' : 'proven',
    person: { id: user_id, name, email, avatarUrl: avatar_url ?? undefined },
    credential: { kind: 'passkey', id },
    methods,
  }
}

interface FoundPasskey {
  id: string
  user_id: string
  handle: Buffer
  public_key: Buffer
  counter: number
  last_challenge_at: Date
  backup_eligible: boolean
  cloned: boolean
  email: string
  name: string
  avatar_url: string | null
  roles: Role[] | null
}

/** The passkey that the answer names, and how long the address has to wait, in one statement. */
async function findPasskey(
  db: SchoolDb,
  answer: ProofAnswer,
  counters: readonly ThrottleLimit[],
): Promise<{ seconds: number; passkey: FoundPasskey | undefined }> {
  const credentialId = Buffer.from(answer.id, 'base64url')
  const { rows } = await db.run(sql<{ seconds: number | null } & (FoundPasskey | { id: null })>`
    select waited.seconds, p.id, p.user_id, h.handle, p.public_key, p.counter, p.last_challenge_at, p.backup_eligible,
      p.cloned_at is not null as cloned, u.email, u.name, u.avatar_url, m.roles
    from (${waitOf(counters)}) waited
      left join passkeys p on p.school_id = ${db.schoolId} and p.credential_id = ${credentialId}
      left join passkey_handles h on h.school_id = p.school_id and h.user_id = p.user_id
      left join users u on u.id = p.user_id
      left join school_members m on m.school_id = p.school_id and m.user_id = p.user_id`)
  const [row] = rows
  return {
    seconds: Math.max(0, row?.seconds ?? 0),
    passkey: row === undefined || row.id === null ? undefined : row,
  }
}

/**
 * Of strangers there is nothing left at this address: the counter of a browser that knows the
 * account may have something.
 */
async function secondsOf(db: SchoolDb, counters: readonly ThrottleLimit[]): Promise<number> {
  const { rows } = await db.run(sql<{ seconds: number | null }>`${waitOf(counters)}`)
  return Math.max(0, rows[0]?.seconds ?? 0)
}

/**
 * The signature is right. The device must also name the same person, and be of the same kind as
 * before.
 */
function fits(
  passkey: FoundPasskey,
  { response: { userHandle } }: ProofAnswer,
  verified: VerifiedProof,
  { userId }: ProofRequest,
): boolean {
  if (verified.isBackupEligible !== passkey.backup_eligible) return false
  if (userId !== undefined && userId !== passkey.user_id) return false
  // A device may leave the handle out if the person is known already.
  if (userHandle === null || userHandle === undefined) return userId !== undefined
  return userHandle === passkey.handle.toString('base64url')
}

/** A device that counts counts up, and one that does not always says 0. */
const wentBackwards = (before: number, now: number): boolean =>
  (before > 0 || now > 0) && now <= before

/**
 * False if this challenge, or a newer one, was answered with the passkey before, or if it is gone
 * by now.
 */
async function use(
  db: SchoolDb,
  { id, user_id }: FoundPasskey,
  verified: VerifiedProof,
  issuedAt: Date,
): Promise<boolean> {
  const { counter } = verified
  const used = await db
    .update('passkeys')
    .set({
      counter,
      backed_up: verified.isBackedUp,
      user_verified: verified.isUserVerified,
      last_used_at: sql<Date>`now()`,
      last_challenge_at: issuedAt,
    })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('cloned_at', 'is', null)
    .where('last_challenge_at', '<', issuedAt)
    .where(countsUp(counter))
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/** Two answers at the same time both passed the check of the counter that they read. */
function countsUp(counter: number): RawBuilder<boolean> {
  return sql<boolean>`(counter < ${counter} or counter = 0 and ${counter} = 0)`
}

/**
 * There may be a copy of the private key. Neither the copy nor the original can be used from now
 * on.
 */
async function markCloned(
  db: SchoolDb,
  { id, user_id }: FoundPasskey,
  requestId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const marked = await tx
      .update('passkeys')
      .set({ cloned_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('cloned_at', 'is', null)
      .executeTakeFirst()
    if (marked.numUpdatedRows === 0n) return
    const entry = { action: 'passkey.cloned', outcome: 'access_denied', subject: id } as const
    await record(tx, { ...entry, actorUserId: user_id, requestId })
  })
}
