import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import { openPending } from '../../../domain/grants/pending-authorization.ts'
import {
  confirmByPasskey,
  type PasskeyConfirmation,
} from '../../../domain/people/confirm-person.ts'
import { hasSecondFactor } from '../../../domain/people/factors/authenticators.ts'
import { type PasskeyProof, provePasskey } from '../../../domain/people/passkeys/prove-passkey.ts'
import { type RelyingParty, relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import { endSession, type ProvenPerson } from '../../../domain/people/sessions.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { parseLocalPath } from '../../../foundation/http/link-header.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedSignInForm } from '../frame/page-request.ts'
import { PASSKEY_STATUS, proofIn } from '../frame/passkey-parts.tsx'
import { beginSession } from '../frame/session.ts'
import { visitOf } from '../frame/visit.ts'
import {
  CONFIRM_PASSKEY_PATH,
  type ConfirmProblem,
  enterConfirm,
  goOnConfirmed,
  showConfirm,
} from './confirm.tsx'
import { goOn } from './go-on.tsx'
import { withKeptForm } from './kept-form.ts'
import {
  expiredRequest,
  PASSKEY_SIGN_IN_PATH,
  type SignInProblem,
  showSignIn,
} from './show-sign-in.tsx'
import { askForCode } from './sign-in-code.tsx'

/** The sign-in form with the answer of a device instead of email and password. */
export function addPasskeySignInRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
): void {
  app.post(PASSKEY_SIGN_IN_PATH, withKeptForm(context), async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(context.keyring, request, session)
    const sealedRequest = form.get('request') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealedRequest)
    if (sealedRequest !== undefined && pending === undefined) return expiredRequest(request, reply)
    const returnTo = parseLocalPath(form.get('return_to'))
    const keptForm = form.get('kept_form') ?? undefined
    const again = (problem: SignInProblem, status: number) => {
      const email = form.get('email') ?? undefined
      const state = { sealedRequest, pending, returnTo, keptForm, email, problem }
      return showSignIn(visit, metadataClients, state, status)
    }
    const outcome = await provePasskey(request.schoolDb, proofIn(context, request, form))
    const after = { sealedRequest, returnTo, keptForm }
    if (outcome.kind === 'unverified' && (await canGiveCode(request, outcome))) {
      const step = { proven: outcome, isShort: false }
      return await askForCode(visit, step, after)
    }
    if (outcome.kind !== 'proven') {
      if (outcome.kind === 'throttled') reply.header('retry-after', outcome.retryAfterSeconds)
      const party = relyingPartyOf(request.school.origin, context.passkeys)
      return await again(problemOf(outcome, party), PASSKEY_STATUS[outcome.kind])
    }
    // A new session at every sign-in, as with a password.
    if (session !== undefined) await endSession(request.schoolDb, session.id)
    const begun = await beginSession(context, request, reply, outcome)
    if (begun === undefined) return await again({ kind: 'passkey_refused' }, PASSKEY_STATUS.refused)
    return goOn(visit, begun, after)
  })
}

/**
 * An owner or admin whose device did not unlock the passkey continues with a second factor, if they
 * have one.
 */
function canGiveCode({ schoolDb: db }: FastifyRequest, { person }: ProvenPerson): Promise<boolean> {
  return hasSecondFactor(acrossSchools(db), person.id)
}

function problemOf(
  outcome: Exclude<PasskeyProof, { kind: 'proven' }>,
  party: RelyingParty,
): SignInProblem {
  switch (outcome.kind) {
    case 'throttled':
      return outcome
    case 'expired':
      return { kind: 'passkey_expired' }
    case 'unverified':
      return { kind: 'passkey_unverified' }
    case 'refused': {
      const { unknown: credentialId } = outcome
      // Where a domain is shared, the browser would forget a passkey of another school.
      const isGone = credentialId !== undefined && !party.isShared
      const unknown = isGone ? { rpId: party.id, credentialId } : undefined
      return { kind: 'passkey_refused', unknown }
    }
  }
}

/** The form of the confirmation with the answer of a device instead of a password or a code. */
export function addPasskeyConfirmRoutes(app: FastifyInstance, context: AppContext): void {
  app.post(CONFIRM_PASSKEY_PATH, withKeptForm(context), async (request, reply) => {
    const asked = await enterConfirm(context, request, reply)
    const { session } = asked.visit
    const proof = proofIn(context, request, asked.form, session)
    const outcome = await confirmByPasskey(request.schoolDb, session, proof)
    if (outcome.kind === 'confirmed') {
      return goOnConfirmed(asked, outcome.cookie)
    }
    if (outcome.kind === 'throttled') reply.header('retry-after', outcome.retryAfterSeconds)
    const shown = { ...asked, problem: proofProblemOf(outcome) }
    return await showConfirm(asked.visit, shown, PASSKEY_STATUS[outcome.kind])
  })
}

function proofProblemOf(
  outcome: Exclude<PasskeyConfirmation, { kind: 'confirmed' }>,
): ConfirmProblem {
  return outcome.kind === 'throttled' ? outcome : { kind: `passkey_${outcome.kind}` }
}
