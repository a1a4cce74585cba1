import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findWaitingSession,
  proveForOtherSchool,
  sealProofRequest,
} from '../../../domain/people/factors/other-school.ts'
import { type BrowserSession, isProvedByFactor } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, sendPage } from '../page-request.ts'
import { frameFor, queryOf } from '../site-frame.ts'
import { type FactorElsewhere, ProofNeeded, requireRecentProof } from '../step-up/recent-proof.ts'
import {
  factorElsewherePage,
  OTHER_SCHOOL_PATH,
  otherSchoolPage,
  provedForSchoolPage,
} from '../views/factor-elsewhere.tsx'

/** The answer to a request that needs a passkey of another school. */
export function answerFactorElsewhere(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, school, path }: FactorElsewhere,
): FastifyReply {
  const sealed = sealProofRequest(context.keyring, school.id, session, path)
  const frame = frameFor(context, request, reply, session)
  const page = factorElsewherePage({ ...frame, passkeyOf: school, sealed, path })
  return sendPage(reply, request, 'site', page, 403)
}

/** At the school of the passkey: the person proves it for their session at the other school. */
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
    await proveForOtherSchool(request.at, session, waiting)
    return sendPage(reply, request, 'site', provedForSchoolPage({ ...frame, waiting }))
  })
}

/** A proof that came from a third school does not travel on. */
function requireFactor(request: FastifyRequest, session: BrowserSession): void {
  requireRecentProof(request, session)
  const isOwn = isProvedByFactor(session) && session.methods.at(-1) !== 'other_school'
  if (!isOwn) throw new ProofNeeded(session, request.returnTo ?? '/account', true)
}
