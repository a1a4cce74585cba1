import { randomSecret, uuidv7 } from '../../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../../foundation/db/school-db.ts'
import { record } from '../../audit/audit.ts'
import { queueNotice } from '../notices.ts'
import type { Person } from '../person.ts'
import {
  type ChallengeForm,
  issueMakingChallenge,
  openMakingChallenge,
  parseMakingAnswer,
} from './challenge.ts'
import { lockPasskeysOf, MOST_PASSKEYS, type PasskeysOfPerson, passkeyName } from './passkeys.ts'
import { ALGORITHMS, type MadePasskey, type RelyingParty, verifyMaking } from './verify.ts'

/**
 * A question to a device, as WebAuthn writes it in JSON, and the sealed challenge that comes back
 * with the answer.
 */
export interface PasskeyQuestion {
  readonly options: object
  readonly sealed: string
}

/** Asks a device to make a passkey. Nothing is stored before it answers. */
export function askForPasskey(
  form: ChallengeForm,
  about: {
    readonly party: RelyingParty
    readonly schoolName: string
    readonly person: Person
    readonly known: PasskeysOfPerson
    readonly silent: boolean
  },
): PasskeyQuestion {
  const { party, person, known, silent } = about
  const handle = (known.handle ?? randomSecret(32)).toString('base64url')
  const challenge = issueMakingChallenge(form, { userId: person.id, handle, silent })
  const options = {
    rp: { id: party.id, name: about.schoolName },
    user: { id: handle, name: person.email, displayName: person.name },
    challenge: challenge.value,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.passkeys.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId.toString('base64url'),
      transports,
    })),
    // Discoverable, so that signing in needs no email.
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'preferred',
    },
    attestation: 'none',
  }
  return { options, sealed: challenge.sealed }
}

export type Adding = 'added' | 'expired' | 'refused' | 'known' | 'too_many'

interface AddingRequest {
  readonly form: ChallengeForm
  readonly party: RelyingParty
  readonly person: Pick<Person, 'id' | 'email'>
  readonly sealed: string | undefined
  readonly answer: string
  /** Such as "Firefox on Windows". */
  readonly device: string
  readonly requestId: string
}

/** Stores the passkey that a device made for the signed-in person, and tells them. */
export async function addPasskey(db: SchoolDb, request: AddingRequest): Promise<Adding> {
  const { form, party, person, device } = request
  const userId = person.id
  const challenge = openMakingChallenge(form, request.sealed)
  if (challenge === undefined || challenge.userId !== userId) return 'expired'
  const answer = parseMakingAnswer(request.answer)
  if (answer === undefined) return 'refused'
  const made = await verifyMaking({
    ...{ answer, party, challenge: challenge.challenge },
    requiresPresence: !challenge.silent,
  })
  if (made === undefined) return 'refused'
  const { issuedAt, silent } = challenge
  const handle = Buffer.from(challenge.handle, 'base64url')
  return await db.transaction(async (tx) => {
    if (!(await useHandle(tx, userId, handle, issuedAt))) return 'expired'
    const stored = await store(tx, {
      ...made,
      userId,
      issuedAt,
      name: passkeyName(undefined, device),
    })
    if (stored.kind !== 'added') return stored.kind
    await record(tx, {
      action: 'passkey.added',
      outcome: 'ok',
      actorUserId: userId,
      subject: stored.id,
      detail: { synced: made.isBackedUp, ...(silent ? { by: 'browser' } : {}) },
      requestId: request.requestId,
    })
    await queueNotice(tx, 'passkey_added', person, { device })
    return 'added'
  })
}

/**
 * False if another form gave the person another handle meanwhile, or if this or a later challenge
 * was answered.
 */
async function useHandle(
  tx: SchoolTx,
  userId: string,
  handle: Buffer,
  issuedAt: Date,
): Promise<boolean> {
  const first = await tx
    .insert('passkey_handles', { user_id: userId, handle, last_challenge_at: issuedAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (first.numInsertedOrUpdatedRows === 1n) return true
  await lockPasskeysOf(tx, userId)
  const used = await tx
    .update('passkey_handles')
    .set({ last_challenge_at: issuedAt })
    .where('user_id', '=', userId)
    .where('handle', '=', handle)
    .where('last_challenge_at', '<', issuedAt)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

interface NewPasskey extends MadePasskey {
  readonly userId: string
  readonly issuedAt: Date
  readonly name: string
}

async function store(
  tx: SchoolTx,
  made: NewPasskey,
): Promise<{ kind: 'added'; id: string } | { kind: 'known' | 'too_many' }> {
  const { userId } = made
  const held = await tx.from('passkeys').select('id').where('user_id', '=', userId).execute()
  if (held.length >= MOST_PASSKEYS) return { kind: 'too_many' }
  const id = uuidv7()
  const stored = await tx
    .insert('passkeys', {
      id,
      user_id: userId,
      credential_id: made.credentialId,
      public_key: made.publicKey,
      counter: made.counter,
      transports: [...made.transports],
      backup_eligible: made.isBackupEligible,
      backed_up: made.isBackedUp,
      user_verified: made.isUserVerified,
      name: made.name,
      last_challenge_at: made.issuedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return stored.numInsertedOrUpdatedRows === 1n ? { kind: 'added', id } : { kind: 'known' }
}
