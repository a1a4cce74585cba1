import type { FastifyInstance } from 'fastify'
import {
  confirmByPasskey,
  type PasskeyConfirmation,
} from '../../../domain/people/confirm-person.ts'
import type { AppContext } from '../../../gate/context.ts'
import { withKeptForm } from '../kept-forms/with-kept-form.ts'
import { PASSKEY_STATUS, proofIn } from '../passkey-form.ts'
import { CONFIRM_PASSKEY_PATH, type ConfirmProblem } from '../views/confirm.tsx'
import { enterConfirm, goOnConfirmed, showConfirm } from './confirm.ts'

/** The form of the confirmation with the answer of a device instead of a password or a code. */
export function addPasskeyConfirmRoutes(app: FastifyInstance, context: AppContext): void {
  app.post(CONFIRM_PASSKEY_PATH, withKeptForm(context), async (request, reply) => {
    const asked = await enterConfirm(context, request)
    const proof = proofIn(context, request, asked.form, asked.session)
    const outcome = await confirmByPasskey(request.at, asked.session, proof)
    if (outcome.kind === 'confirmed') {
      return goOnConfirmed(context, request, reply, asked, outcome.cookie)
    }
    if (outcome.kind === 'throttled') reply.header('retry-after', outcome.retryAfterSeconds)
    const shown = { ...asked, problem: problemOf(outcome) }
    return await showConfirm(context, request, reply, shown, PASSKEY_STATUS[outcome.kind])
  })
}

function problemOf(outcome: Exclude<PasskeyConfirmation, { kind: 'confirmed' }>): ConfirmProblem {
  return outcome.kind === 'throttled' ? outcome : { kind: `passkey_${outcome.kind}` }
}
