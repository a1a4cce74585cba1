import type { FastifyReply, FastifyRequest } from 'fastify'
import { findKnownDevice, type KnownBy, rememberDevice } from '../../domain/people/known-device.ts'
import type { Requester } from '../../domain/people/sign-in-counters.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import { deviceCookieName, findCookie, serializeCookie } from '../../foundation/http/cookies.ts'
import type { AppContext } from '../../gate/context.ts'

const PURPOSE = 'known-devices'
const COOKIE_SECONDS = 365 * 24 * 60 * 60

/** Who tries: the address, and the browser if it knows this account in one of these ways; if none are said, for a password. */
export function requesterOf(
  context: AppContext,
  request: FastifyRequest,
  email: string,
  ways?: readonly KnownBy[],
): Requester {
  const { id } = request.school
  const device = findKnownDevice(context.keyring.keys(PURPOSE), id, cookieOf(request), email, ways)
  return { address: clientAddress(request), device }
}

/** After a sign-in, or a link by mail. Signing out does not undo it. */
export function rememberBrowser(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
  ways?: readonly KnownBy[],
): void {
  const { id, origin } = request.school
  const value = rememberDevice(context.keyring.key(PURPOSE), id, cookieOf(request), email, ways)
  reply.header(
    'set-cookie',
    serializeCookie(origin, deviceCookieName(origin), value, COOKIE_SECONDS),
  )
}

function cookieOf(request: FastifyRequest): string | undefined {
  return findCookie(request.headers.cookie, deviceCookieName(request.school.origin))
}
