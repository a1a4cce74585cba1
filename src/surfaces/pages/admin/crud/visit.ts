import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  type Operation,
  type Outcome,
  performOperation,
  type WriteOperation,
} from '../../../../domain/operation/operation.ts'
import type { BrowserSession } from '../../../../domain/people/sessions.ts'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import { isCallerOld } from '../../../../gate/bearer-gate.ts'
import type { AppContext } from '../../../../gate/context.ts'
import type { Notices } from '../../frame/layout.tsx'
import { checkedForm } from '../../frame/page-request.ts'
import { requireRecentProof } from '../../frame/recent-proof.ts'
import type { AdminFrame } from '../frame/admin-page.tsx'
import { adminFrame, loadOperator, operatorActor } from '../frame/operator.ts'
import type { Ask } from './field.ts'
import type { AdminResource } from './resource.ts'
import type { Place, Row } from './row.ts'

const NO_MAIL = {
  kind: 'conflict',
  code: 'no_mail',
  detail: 'This server does not send email. Its administrator can set SMTP_URL.',
} as const

type Perform = <I extends z.ZodObject, O extends z.ZodObject>(
  operation: Operation<I, O>,
  input: z.input<NoInfer<I>>,
) => Promise<Outcome<z.output<O>>>

/** One request of an owner or admin to a page of the school, and the operations that it performs. */
export interface Visit {
  readonly operator: BrowserSession
  readonly place: Place
  /** Whether the server stores files, which imports and exports need. */
  readonly storesFiles: boolean
  readonly ask: Ask
  /** Performs an operation as this operator, with its audit entry, after a proof if it needs a recent one. */
  readonly perform: Perform
  /** Why a write cannot be done with this object as things are now. */
  whyNot(operation: WriteOperation, id: string): Promise<string | undefined>
  frame(notices?: Notices): AdminFrame
  /** The fields of a form, if its token was made for this browser session. */
  form(): URLSearchParams
}

/** Every route begins here. For a post, the session was read before the body. */
export async function enter(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const sender = isCallerOld(request) ? undefined : request.formSender
  const operator = sender ?? (await loadOperator(request, request.returnTo))
  const actor = operatorActor(request, operator)
  const perform: Perform = async (operation, input) => {
    if (operation.needsProof?.(input) === true) requireRecentProof(request, operator)
    if (operation.kind !== 'read' && operation.queuesMail !== undefined) {
      if (operation.queuesMail === 'always' && context.mailer === undefined) return NO_MAIL
      request.queuedMail = true
    }
    return await performOperation(operation, request.at, actor, input)
  }
  return {
    operator,
    place: {
      timeZone: request.school.timeZone,
      currency: request.school.currency,
      viewerId: operator.person.id,
    },
    storesFiles: context.files !== undefined,
    perform,
    ask: async (operation, input) => answerOf(await perform(operation, input)),
    whyNot: async (operation, id) => await operation.whyNot?.(request.at, actor, id),
    frame: (notices) => adminFrame(context, request, reply, operator, notices),
    form: () => checkedForm(context.keyring, request, operator),
  }
}

/** An object of another school is answered like one that does not exist. */
function answerOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'done') return outcome.output
  const detail = outcome.kind === 'not_found' ? outcome.detail : NOTHING
  throw new RequestRefusedError(404, detail)
}

const NOTHING = 'There is nothing at this address.'

/** The object whose id is in the path. */
export async function loadNamed(
  request: FastifyRequest,
  visit: Visit,
  resource: AdminResource,
): Promise<Row> {
  return await visit.ask(resource.read, { id: idIn(request), ...expanding(resource) })
}

export function idIn(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw new RequestRefusedError(404, NOTHING)
  return id
}

export function expanding({ expand }: { readonly expand?: readonly string[] }): Row {
  return expand === undefined ? {} : { expand }
}

/** The status of a page that shows a refusal. */
export function statusOf(outcome: Exclude<Outcome, { kind: 'done' | 'not_found' }>): number {
  return { invalid: 422, conflict: 409, stale: 409, forbidden: 403 }[outcome.kind]
}
