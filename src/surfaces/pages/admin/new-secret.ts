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
  /** True if it replaces an earlier secret. */
  rotated: z.boolean(),
  /** Until when that one is accepted; null if it ended. */
  old_until: z.iso.datetime().nullable().optional(),
})

export type NewSecret = z.output<typeof newSecret>

/**
 * Carries a secret from the post that creates it to the page that shows it, so that reloading the
 * page does not create a second one. The secret is in a sealed cookie, valid only for this session
 * and application, and is stored nowhere else.
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

/** Returns the secret once: the same answer makes the browser delete the cookie. */
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
  const plain = unseal(keyring.keys(PURPOSE), sealed, `${session.id} ${clientId}`)
  if (plain === undefined) return undefined
  reply.header('set-cookie', serializeExpiredCookie(origin, name))
  return newSecret.parse(JSON.parse(plain.toString()))
}
