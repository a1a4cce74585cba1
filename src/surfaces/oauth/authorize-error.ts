import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  SwitchedOff,
  UnpermittedHost,
  WrongRedirectUri,
} from '../../domain/grants/request-checks.ts'
import { errorPage, ourFaultPage, unavailablePage } from '../../foundation/html/error-page.tsx'
import type { Branding } from '../../foundation/html/layout.tsx'
import { rawQuery } from '../../foundation/http/request-body.ts'
import { setPageHeaders } from '../../foundation/http/security-headers.ts'
import type { OAuthError } from '../../foundation/protocol/errors.ts'
import { readParameters } from '../../foundation/protocol/parameters.ts'
import { brandingOf } from '../../gate/branding.ts'
import { toOAuthError } from '../../gate/refusal.ts'
import {
  brokenRequestPage,
  heldRedirectPage,
  switchedOffClientPage,
  unknownClientPage,
  unpermittedHostPage,
  wrongRedirectUriPage,
} from './app-error-pages.tsx'
import { HeldRedirect } from './authorize.ts'

/** The page for a person whose app sent a request that must not be answered by a redirect. */
export function answerAuthorizationError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = toOAuthError(error, request)
  request.outcome.result = refusal.code
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter)
  return setPageHeaders(reply, request.school.origin, 'authorization')
    .code(refusal.status)
    .type('text/html; charset=utf-8')
    .send(pageFor(refusal, request))
}

function pageFor(refusal: OAuthError, request: FastifyRequest): string {
  const place = { reference: request.id, school: brandingOf(request.school) }
  if (refusal.status === 503) return unavailablePage(place)
  if (refusal.status >= 500) return ourFaultPage(place)
  if (refusal.status === 429) return busyPage(place, refusal.description)
  if (refusal instanceof HeldRedirect) {
    const { description: explanation, location } = refusal
    return heldRedirectPage({ ...place, explanation, location })
  }
  const clientId = parameterOf(request, 'client_id')
  const redirectUri = parameterOf(request, 'redirect_uri')
  if (refusal instanceof SwitchedOff && clientId !== undefined) {
    const { by, description: explanation } = refusal
    return switchedOffClientPage({ ...place, clientId, explanation, by })
  }
  if (refusal instanceof UnpermittedHost && clientId !== undefined) {
    const { host, description: explanation } = refusal
    return unpermittedHostPage({ ...place, clientId, explanation, host })
  }
  if (refusal.code === 'invalid_client' && clientId !== undefined) {
    return unknownClientPage({ ...place, clientId, explanation: refusal.description })
  }
  if (refusal instanceof WrongRedirectUri && clientId !== undefined && redirectUri !== undefined) {
    return wrongRedirectUriPage({ ...place, clientId, redirectUri, kind: refusal.kind })
  }
  return brokenRequestPage({ ...place, explanation: refusal.description })
}

function busyPage(place: { reference: string; school: Branding }, what: string): string {
  return errorPage({
    ...place,
    title: 'Too many requests',
    what,
    next: 'Wait a minute, then reload this page.',
  })
}

function parameterOf(request: FastifyRequest, name: string): string | undefined {
  try {
    return readParameters(rawQuery(request.raw.url ?? '')).get(name)
  } catch {
    return undefined
  }
}
