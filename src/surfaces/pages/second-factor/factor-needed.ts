import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FactorDemand, findMeans, isFactorDue } from '../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { keepAfterSignIn } from '../after-sign-in.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
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

export function checkFactor(demand: FactorDemand, operator: BrowserSession): void {
  if (isFactorDue(demand, operator)) throw new FactorNeeded(operator)
}

export async function answerFactorNeeded(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session }: FactorNeeded,
): Promise<FastifyReply> {
  const means = await findMeans(request.at, session.person.id)
  const returnTo = request.method === 'GET' ? request.raw.url : '/admin'
  const page = factorNeededPage({
    ...frameFor(context, request, reply, session),
    ...means,
    signInUrl: keepAfterSignIn('/sign-in', { returnTo }),
  })
  return sendPage(reply, request, 'site', page, 403)
}
