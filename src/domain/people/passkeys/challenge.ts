import { z } from 'zod'
import { randomSecret } from '../../../foundation/crypto/random.ts'
import { type Keyring, openMessage, sealMessage } from '../../../foundation/crypto/seal.ts'
import { STRANGER, walkJson } from '../../../foundation/json/json-walk.ts'

/*
 * What a device signs. Nothing is stored: the challenge travels sealed through the form, for the
 * origin and for the token of that form, so it fits one browser. That it is answered once is
 * decided where the answer is stored: its time must be later than that of the last one
 * (`last_challenge_at`).
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

/*
 * What a browser sends after a device was asked, as WebAuthn writes it in JSON. Members that we do
 * not use are dropped, the attestation among them: nothing depends on the make of a device, and its
 * certificates name addresses on the network that a library might ask.
 */

const base64url = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+$/)

/** A credential id has at most 1023 bytes. */
const id = base64url(1364)
const clientDataJSON = base64url(4000)
const authenticatorData = base64url(8000)

const head = { id, rawId: id, type: z.literal('public-key') } as const

const proofAnswer = z.object({
  ...head,
  response: z.object({
    clientDataJSON,
    authenticatorData,
    signature: base64url(2000),
    userHandle: base64url(100).nullish(),
  }),
})

const makingAnswer = z.object({
  ...head,
  response: z.object({
    clientDataJSON,
    authenticatorData,
    transports: z.array(z.string().max(30)).max(10).catch([]).default([]),
  }),
})

export type ProofAnswer = z.output<typeof proofAnswer>
export type MakingAnswer = z.output<typeof makingAnswer>

/** The answer of a device that proves its passkey; undefined if the text is none. */
export function parseProofAnswer(text: string): ProofAnswer | undefined {
  return proofAnswer.safeParse(parse(text)).data
}

/** The answer of a device that made a passkey. */
export function parseMakingAnswer(text: string): MakingAnswer | undefined {
  return makingAnswer.safeParse(parse(text)).data
}

function parse(text: string): unknown {
  if (walkJson(text, STRANGER).excess !== undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
