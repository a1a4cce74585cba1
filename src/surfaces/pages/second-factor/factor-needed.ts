import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDeviceAlone } from '../../../domain/people/authentication-context.ts'
import { findMeans, isFactorDue } from '../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { keepAfterSignIn } from '../after-sign-in.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { ProofNeeded } from '../step-up/recent-proof.ts'
import { factorNeededPage } from '../views/admin/factor-needed.tsx'

/** Thrown for an owner or admin whose sign-in is not enough for what the school demands. */
export class FactorNeeded extends Error {
  override readonly name = 'FactorNeeded'
  readonly session: BrowserSession

  constructor(session: BrowserSession) {
    super('Signed in with less than the school demands of owners and admins.')
    this.session = session
  }
}

/** Call it before a session acts as an owner or admin. A session that proved too little confirms first. */
export function checkFactor(request: FastifyRequest, operator: BrowserSession): void {
  if (isFactorDue(request.school, operator)) throw new FactorNeeded(operator)
  if (isDeviceAlone(operator.methods, operator.roles)) {
    throw new ProofNeeded(operator, request.returnTo ?? pageOf(request))
  }
}

const pageOf = ({ method, raw }: FastifyRequest): string =>
  method === 'GET' ? (raw.url ?? '/admin') : '/admin'

export async function answerFactorNeeded(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session }: FactorNeeded,
): Promise<FastifyReply> {
  const means = await findMeans(request.at, session.person.id)
  const page = factorNeededPage({
    ...frameFor(context, request, reply, session),
    ...means,
    signInUrl: keepAfterSignIn('/sign-in', { returnTo: pageOf(request) }),
  })
  return sendPage(reply, request, 'site', page, 403)
}
