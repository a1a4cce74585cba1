import { z } from 'zod'
import { randomSecret } from '../../../foundation/crypto/random.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { openMessage, sealMessage } from '../../../foundation/crypto/sealed-message.ts'

/*
 * What a device signs. Nothing is stored: the challenge travels sealed through the form, for the origin and for the
 * token of that form, so it fits one browser. That it is answered once is decided where the answer is stored: its
 * time must be later than that of the last one (`last_challenge_at`).
 */

const LIFETIME_MS = 60 * 60 * 1000

/** The form in which a challenge travels. */
export interface ChallengeForm {
  readonly keyring: Keyring
  readonly origin: string
  /** Checked by the caller. */
  readonly formToken: string
}

export interface IssuedChallenge {
  readonly value: string
  readonly sealed: string
}

const proofSchema = z.object({
  challenge: z.string(),
  issuedAt: z.number().transform((time) => new Date(time)),
  formToken: z.string(),
})
const makingSchema = proofSchema.extend({
  userId: z.string(),
  handle: z.string(),
  silent: z.boolean(),
})

const PROOF = 'passkey-proof'
const MAKING = 'passkey-making'

/** To prove who a person is with a passkey. */
export function issueProofChallenge(form: ChallengeForm): IssuedChallenge {
  return issue(form, PROOF, {})
}

export function openProofChallenge(form: ChallengeForm, sealed: string | undefined) {
  return open(form, PROOF, proofSchema, sealed)
}

/** For whom a passkey is made, and how the device will name them. */
interface Maker {
  readonly userId: string
  readonly handle: string
  /** Whether the browser may make it without asking the person. */
  readonly silent: boolean
}

export function issueMakingChallenge(form: ChallengeForm, maker: Maker): IssuedChallenge {
  return issue(form, MAKING, maker)
}

export function openMakingChallenge(form: ChallengeForm, sealed: string | undefined) {
  return open(form, MAKING, makingSchema, sealed)
}

function issue(form: ChallengeForm, purpose: string, more: object): IssuedChallenge {
  const value = randomSecret(32).toString('base64url')
  const issuedAt = Date.now()
  const { keyring, origin, formToken } = form
  const message = { challenge: value, issuedAt, formToken, ...more }
  return {
    value,
    sealed: sealMessage(keyring, purpose, origin, message, issuedAt + LIFETIME_MS),
  }
}

/** Undefined if it is forged, too old, or of another origin or form. */
function open<T extends { readonly formToken: string }>(
  { keyring, origin, formToken }: ChallengeForm,
  purpose: string,
  schema: z.ZodType<T>,
  sealed: string | undefined,
): T | undefined {
  const opened = openMessage(keyring, purpose, origin, sealed, Date.now())
  const message = schema.safeParse(opened).data
  return message?.formToken === formToken ? message : undefined
}
