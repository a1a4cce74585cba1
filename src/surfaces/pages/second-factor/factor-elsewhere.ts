import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFactorPlaces } from '../../../domain/people/factors/demand.ts'
import {
  acceptProof,
  findWaitingSession,
  sealProof,
  sealProofRequest,
} from '../../../domain/people/factors/other-school.ts'
import { type BrowserSession, isProvedByFactor } from '../../../domain/people/sessions.ts'
import { parseLocalPath } from '../../../foundation/http/link-header.ts'
import type { AppContext } from '../../../gate/context.ts'
import { keepSession, loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor, queryOf } from '../site-frame.ts'
import { FactorElsewhere, ProofNeeded, requireRecentProof } from '../step-up/recent-proof.ts'
import {
  ELSEWHERE_PATH,
  factorElsewherePage,
  OTHER_SCHOOL_PATH,
  otherSchoolPage,
  PROVED_PATH,
  provedForSchoolPage,
} from '../views/factor-elsewhere.tsx'

/** The answer to a request that needs a passkey of another school. */
export function answerFactorElsewhere(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, schools, path }: FactorElsewhere,
  status = 403,
): FastifyReply {
  const page = factorElsewherePage({
    ...frameFor(context, request, reply, session),
    path,
    schools: schools.map(({ id, ...school }) => ({
      ...school,
      sealed: sealProofRequest(context.keyring, id, session, path),
    })),
  })
  return sendPage(reply, request, 'site', page, status)
}

/** A person proves a passkey at one school for their session at another one. */
export function addOtherSchoolRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(OTHER_SCHOOL_PATH, async (request, reply) => {
    const sealed = queryOf(request).get('for') ?? ''
    const session = await loadBrowserSession(request)
    requireFactor(request, session)
    const waiting = await findWaitingSession(request.at, context.keyring, session, sealed)
    const page = otherSchoolPage({ ...frameFor(context, request, reply, session), sealed, waiting })
    return sendPage(reply, request, 'site', page, waiting === undefined ? 400 : 200)
  })

  app.post(OTHER_SCHOOL_PATH, async (request, reply) => {
    const session = await loadBrowserSession(request, '/account')
    const form = checkedForm(context.keyring, request, session)
    requireFactor(request, session)
    const sealed = form.get('for') ?? ''
    const waiting = await findWaitingSession(request.at, context.keyring, session, sealed)
    const frame = frameFor(context, request, reply, session)
    if (waiting === undefined) {
      return sendPage(reply, request, 'site', otherSchoolPage({ ...frame, sealed, waiting }), 400)
    }
    const proof = sealProof(context.keyring, session, waiting)
    return sendPage(reply, request, 'site', provedForSchoolPage({ ...frame, waiting, proof }))
  })

  app.get(PROVED_PATH, async (request, reply) => {
    const session = await loadBrowserSession(request, '/account')
    const proof = queryOf(request).get('proof') ?? ''
    const accepted = await acceptProof(request.at, context.keyring, session, proof)
    if (accepted !== undefined) keepSession(request, reply, accepted.cookie)
    return redirectTo(reply, request, 'site', accepted?.path ?? '/account')
  })

  /** For a person who has a passkey here too, which is lost. */
  app.get(ELSEWHERE_PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const path = parseLocalPath(queryOf(request).get('return_to')) ?? '/account'
    const places = await findFactorPlaces(request.at, session)
    if (places === undefined || places.elsewhere.length === 0) {
      return redirectTo(reply, request, 'site', path)
    }
    const needed = new FactorElsewhere(session, places.elsewhere, path)
    return answerFactorElsewhere(context, request, reply, needed, 200)
  })
}

/** A proof that came from a third school does not travel on. */
function requireFactor(request: FastifyRequest, session: BrowserSession): void {
  requireRecentProof(request, session)
  const isOwn = isProvedByFactor(session) && session.methods.at(-1) !== 'other_school'
  if (!isOwn) throw new ProofNeeded(session, request.returnTo ?? '/account', true)
}
