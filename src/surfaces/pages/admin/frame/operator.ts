import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type Actor, isOperator } from '../../../../domain/actor/actor.ts'
import {
  type Outcome,
  performOperation,
  type WriteOperation,
} from '../../../../domain/operation/operation.ts'
import { daysToFactor } from '../../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../../domain/people/sessions.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { frameFor, type Notices } from '../../frame/layout.tsx'
import { requireRecentProof } from '../../frame/recent-proof.ts'
import { loadBrowserSession, SignInNeeded } from '../../frame/session.ts'
import { checkFactor } from '../../sign-in/factor-needed.tsx'
import type { AdminFrame } from './admin-page.tsx'

/** Thrown if the person who is signed in is not an owner or admin of this school. */
export class NotOperator extends Error {
  override readonly name = 'NotOperator'
  readonly session: BrowserSession

  constructor(session: BrowserSession) {
    super('Signed in without an owner or admin role.')
    this.session = session
  }
}

/** Thrown for a page of the admin area whose beta feature is off. */
export class FeatureOff extends Error {
  override readonly name = 'FeatureOff'
  readonly operator: BrowserSession

  constructor(operator: BrowserSession) {
    super('The beta feature behind this page is off.')
    this.operator = operator
  }
}

/** The owner or admin who sends the request. A post passes the page of its form as `returnTo`. */
export async function loadOperator(
  request: FastifyRequest,
  returnTo?: string,
): Promise<BrowserSession> {
  const session = await loadBrowserSession(request, returnTo)
  return asOperator(request, session, returnTo)
}

/** The same for a session that was read already. */
export function asOperator(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  returnTo = '/admin',
): BrowserSession {
  if (session === undefined) throw new SignInNeeded(returnTo)
  if (!isOperator(session.roles)) throw new NotOperator(session)
  checkFactor(request, session)
  return session
}

export function operatorActor(request: FastifyRequest, operator: BrowserSession): Actor {
  return {
    via: 'admin_area',
    userId: operator.person.id,
    sessionId: operator.id,
    roles: operator.roles,
    origin: request.school.origin,
    requestId: request.id,
  }
}

/** Performs a write as this operator, with its audit entry. Asks for a proof first if the write needs a recent one. */
export async function performAs<I extends z.ZodObject, O extends z.ZodObject>(
  request: FastifyRequest,
  operator: BrowserSession,
  operation: WriteOperation<I, O>,
  input: z.input<I>,
): Promise<Outcome<z.output<O>>> {
  if (operation.needsProof?.(input) === true) requireRecentProof(request, operator)
  const actor = operatorActor(request, operator)
  return await performOperation(operation, request.at, actor, input)
}

export function adminFrame(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  notices: Notices = {},
): AdminFrame {
  return {
    ...frameFor(context, request, reply, operator, notices),
    developersShown: request.school.mcpConnections,
    timeZone: request.school.timeZone,
    currency: request.school.currency,
    factorDays: daysToFactor(request.school, operator),
  }
}
