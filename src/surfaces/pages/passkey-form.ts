import type { FastifyRequest } from 'fastify'
import type { ChallengeForm } from '../../domain/people/passkeys/challenge.ts'
import type { ProofRequest } from '../../domain/people/passkeys/prove-passkey.ts'
import { relyingPartyOf } from '../../domain/people/passkeys/verify.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import type { AppContext } from '../../gate/context.ts'
import { requesterOf } from './known-browser.ts'

/** Takes what `formTokenFor` made or what a form sent back: the owner behind the token does not matter here. */
export function challengeFormOf(
  { keyring }: AppContext,
  { school }: FastifyRequest,
  formToken: string,
): ChallengeForm {
  const [token = ''] = formToken.split('.')
  return { keyring, origin: school.origin, formToken: token }
}

/** The status of the page that tells why a passkey proved nothing. */
export const PASSKEY_STATUS = {
  refused: 401,
  expired: 400,
  throttled: 429,
  unverified: 403,
} as const

/** The answer of a device in a form whose token was checked. */
export function proofIn(
  context: AppContext,
  request: FastifyRequest,
  form: URLSearchParams,
  session?: Pick<BrowserSession, 'id'>,
): ProofRequest {
  const address = clientAddress(request)

  return {
    form: challengeFormOf(context, request, form.get('form_token') ?? ''),
    party: relyingPartyOf(request.school.origin, context.passkeys),
    throttleKey: context.keyring.key('sign-in-throttle'),
    requesterOf(email) {
      if (session !== undefined) return { address, device: session.id }
      return email === undefined ? { address } : requesterOf(context, request, email)
    },
    sealed: form.get('passkey_challenge') ?? undefined,
    answer: form.get('passkey') ?? '',
    requestId: request.id,
  }
}
