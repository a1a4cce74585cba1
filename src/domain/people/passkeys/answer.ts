import { z } from 'zod'
import { STRANGER, walkJson } from '../../../foundation/json/json-walk.ts'

/*
 * What a browser sends after a device was asked, as WebAuthn writes it in JSON. Members that we do not use are dropped,
 * the attestation among them: nothing depends on the make of a device, and its certificates name addresses on the
 * network that a library might ask.
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
