import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import type { PendingAuthorization } from '../../domain/grants/pending-authorization.ts'
import { askForProof } from '../../domain/people/passkeys/prove-passkey.ts'
import { relyingPartyOf } from '../../domain/people/passkeys/verify.ts'
import { expiredRequestPage } from '../../foundation/html/error-page.tsx'
import { brandingOf } from '../../gate/branding.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { findRequestingClient } from '../../gate/requesting-client.ts'
import { keepAfterSignIn } from './after-sign-in.ts'
import { formTokenFor, sendPage, sendScriptedPage } from './page-request.ts'
import { challengeFormOf } from './passkey-form.ts'
import { SIGN_UP_PATH } from './sign-up/sign-up-form.ts'
import { queryOf } from './site-frame.ts'
import type { Interrupted } from './views/interrupted.tsx'
import { PASSKEY_SCRIPT } from './views/passkey-parts.tsx'
import { type SignInProblem, signInPage } from './views/sign-in.tsx'

interface SignInState {
  readonly sealedRequest?: string | undefined
  readonly pending?: PendingAuthorization | undefined
  /** A page of ours that needs the sign-in. */
  readonly returnTo: string | undefined
  /** The sealed form that the person sent when the session had ended. */
  readonly keptForm?: string | undefined
  readonly interrupted?: Interrupted | undefined
  readonly email?: string | undefined
  readonly problem?: SignInProblem
}

export async function showSignIn(
  context: AppContext,
  documents: MetadataClients,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SignInState,
  status = 200,
): Promise<FastifyReply> {
  const session = await findBrowserSession(request)
  const formToken = formTokenFor(context.keyring, request, reply, session)
  const { sealedRequest, returnTo } = state
  const sendsMail = context.mailer !== undefined
  const party = relyingPartyOf(request.school.origin, context.passkeys)
  const page = signInPage({
    school: brandingOf(request.school),
    action: '/sign-in',
    formToken,
    passkey: askForProof(challengeFormOf(context, request, formToken), party),
    sealedRequest,
    returnTo,
    keptForm: state.keptForm,
    interrupted: state.interrupted ?? (queryOf(request).has('files') ? 'files' : undefined),
    newPassword: queryOf(request).has('reset'),
    newSchool: queryOf(request).has('new_school'),
    forgotPasswordUrl: sendsMail
      ? keepAfterSignIn('/forgotten-password', { sealedRequest, returnTo })
      : undefined,
    signUpUrl:
      sendsMail && request.school.signUp
        ? keepAfterSignIn(SIGN_UP_PATH, { sealedRequest, returnTo })
        : undefined,
    email: state.email ?? state.pending?.loginHint,
    problem: state.problem,
    client: await clientAsking(documents, request, state.pending),
  })
  return sendScriptedPage(reply, request, 'authorization', PASSKEY_SCRIPT, page, status)
}

async function clientAsking(
  documents: MetadataClients,
  request: FastifyRequest,
  pending: PendingAuthorization | undefined,
) {
  if (pending === undefined) return undefined
  const found = await findRequestingClient(documents, request, pending.clientId)
  if (found.kind !== 'known') return undefined
  const { name, kind, clientId } = found.client
  return kind === 'document' ? { name, host: new URL(clientId).host } : { name }
}

export function expiredRequest(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = expiredRequestPage({ reference: request.id, school: brandingOf(request.school) })
  return sendPage(reply, request, 'authorization', page, 400)
}
