import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type Actor, isOperator } from '../../../../domain/actor/actor.ts'
import {
  type Operation,
  type Outcome,
  performOperation,
  type ReadOperation,
  type WriteOperation,
} from '../../../../domain/operation/operation.ts'
import { daysToFactor } from '../../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../../domain/people/sessions.ts'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { isCallerOld } from '../../../../gate/bearer-gate.ts'
import type { AppContext } from '../../../../gate/context.ts'
import type { Notices } from '../../frame/layout.tsx'
import { requireRecentProof } from '../../frame/recent-proof.ts'
import { loadBrowserSession, SignInNeeded } from '../../frame/session.ts'
import { Visit } from '../../frame/visit.ts'
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

/** Where something is shown. */
export interface Place {
  readonly timeZone: string
  /** The school's currency, for prices that name none. */
  readonly currency: string
  /** The owner or admin who sees it. */
  readonly viewerId: string
}

type Perform = <I extends z.ZodObject, O extends z.ZodObject>(
  operation: Operation<I, O>,
  input: z.input<NoInfer<I>>,
) => Promise<Outcome<z.output<O>>>

/**
 * Performs a read as the operator who looks at the page; if it is refused, the page answers 404.
 */
export type Ask = <I extends z.ZodObject, O extends z.ZodObject>(
  operation: ReadOperation<I, O>,
  input: z.input<NoInfer<I>>,
) => Promise<z.output<O>>

const NO_MAIL = {
  kind: 'conflict',
  code: 'no_mail',
  detail: 'This server does not send email. Its administrator can set SMTP_URL.',
} as const

/** One request of an owner or admin, and the operations that it performs. */
export class OperatorVisit extends Visit<BrowserSession> {
  /** The author of what is written, as the audit log names it. */
  get actor(): Actor {
    const { request, session } = this
    return {
      via: 'admin_area',
      userId: session.person.id,
      sessionId: session.id,
      roles: session.roles,
      origin: request.school.origin,
      requestId: request.id,
    }
  }

  get place(): Place {
    const { timeZone, currency } = this.request.school
    return { timeZone, currency, viewerId: this.session.person.id }
  }

  /** Whether the server stores files, which imports and exports need. */
  get storesFiles(): boolean {
    return this.context.files !== undefined
  }

  get sendsMail(): boolean {
    return this.context.mailer !== undefined
  }

  /** With its audit entry, after a proof if the operation needs a recent one. */
  readonly perform: Perform = async (operation, input) => {
    const { context, request, session } = this
    if (operation.needsProof?.(input) === true) requireRecentProof(request, session)
    if (operation.kind !== 'read' && operation.queuesMail !== undefined) {
      if (operation.queuesMail === 'always' && context.mailer === undefined) return NO_MAIL
      request.queuedMail = true
    }
    const outcome = await performOperation(operation, request.schoolDb, this.actor, input)
    if (operation.kind !== 'read' && operation.changesSchool) {
      context.directory.forget(request.school.id)
    }
    return outcome
  }

  readonly ask: Ask = async (operation, input) => answerOf(await this.perform(operation, input))

  /** Why a write cannot be done with this object as things are now. */
  async whyNot(operation: WriteOperation, id: string): Promise<string | undefined> {
    return await operation.whyNot?.(this.request.schoolDb, this.actor, id)
  }

  override frame(notices: Notices = {}): AdminFrame {
    const { school } = this.request
    return {
      ...super.frame(notices),
      developersShown: school.mcpConnections,
      timeZone: school.timeZone,
      currency: school.currency,
      factorDays: daysToFactor(school, this.session),
    }
  }
}

/** Every route of the admin area begins here. A post passes the page of its form as `returnTo`. */
export async function operatorVisit(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo = request.returnTo,
): Promise<OperatorVisit> {
  const sender = isCallerOld(request) ? undefined : request.formSender
  const session =
    sender ?? asOperator(request, await loadBrowserSession(request, returnTo), returnTo)
  return new OperatorVisit(context, request, reply, session)
}

/** Refuses a person who is not an owner or admin, or whose sign-in is not enough for it. */
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

/** An object of another school is answered like one that does not exist. */
function answerOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'done') return outcome.output
  const detail = outcome.kind === 'not_found' ? outcome.detail : NOTHING
  throw new RequestRefusedError(404, detail)
}

export const NOTHING = 'There is nothing at this address.'
