import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { type Keyring, seal, unseal } from '../../../foundation/crypto/seal.ts'
import {
  findCookie,
  secretCookieName,
  serializeCookie,
  serializeExpiredCookie,
} from '../../../foundation/http/cookies.ts'

const PURPOSE = 'new-secrets'
const SECONDS = 300

const newSecret = z.strictObject({
  secret: z.string(),
  /** It takes the place of an earlier one. */
  rotated: z.boolean(),
})

export type NewSecret = z.output<typeof newSecret>

/**
 * Carries a secret from the post that made it to the page that shows it, so that reloading that page
 * makes no second one. It travels sealed, in a cookie of this browser, for this session and
 * application alone, and is stored nowhere.
 */
export function carrySecret(
  keyring: Keyring,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  clientId: string,
  made: NewSecret,
): void {
  const { origin } = request.school
  const plain = Buffer.from(JSON.stringify(made))
  const sealed = seal(keyring.key(PURPOSE), plain, `${session.id} ${clientId}`)
  const value = sealed.toString('base64url')
  reply.header('set-cookie', serializeCookie(origin, secretCookieName(origin), value, SECONDS))
}

/** The secret, once: the browser forgets it with the answer that shows it. */
export function takeSecret(
  keyring: Keyring,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  clientId: string,
): NewSecret | undefined {
  const { origin } = request.school
  const name = secretCookieName(origin)
  const value = findCookie(request.headers.cookie, name)
  if (value === undefined) return undefined
  const sealed = Buffer.from(value, 'base64url')
  const plain = unseal(keyring.key(PURPOSE), sealed, `${session.id} ${clientId}`)
  if (plain === undefined) return undefined
  reply.header('set-cookie', serializeExpiredCookie(origin, name))
  return newSecret.parse(JSON.parse(plain.toString()))
}
