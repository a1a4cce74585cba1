import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  isTrustedDevice,
  TRUSTED_DAYS,
  trustDevice,
} from '../../../domain/people/factors/code-step.ts'
import type { ProvenByPassword } from '../../../domain/people/sessions.ts'
import { findCookie, serializeCookie, trustCookieName } from '../../../foundation/http/cookies.ts'

const COOKIE_SECONDS = TRUSTED_DAYS * 24 * 60 * 60

/** Whether this person is not asked for a code in this browser. It never counts as a proof of its own. */
export async function isTrustedBrowser(request: FastifyRequest, userId: string): Promise<boolean> {
  const cookie = findCookie(request.headers.cookie, trustCookieName(request.school.origin))
  const operatorsMayTrust = request.school.operatorFactorFrom === undefined
  return await isTrustedDevice(request.at, userId, cookie, operatorsMayTrust)
}

export async function trustBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenByPassword,
): Promise<void> {
  const { origin } = request.school
  const cookie = await trustDevice(request.at, proven)
  if (cookie === undefined) return
  reply.header(
    'set-cookie',
    serializeCookie(origin, trustCookieName(origin), cookie, COOKIE_SECONDS),
  )
}
