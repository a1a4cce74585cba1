import type { FastifyRequest } from 'fastify'
import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import type { ChallengeForm } from '../../../domain/people/passkeys/challenge.ts'
import type { ProofRequest } from '../../../domain/people/passkeys/prove-passkey.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { AppContext } from '../../../gate/context.ts'
import { requesterOf } from './session.ts'

/** The script that these parts need. Without it they are hidden. */
export const PASSKEY_SCRIPT = 'passkeys.js'

/**
 * The hidden fields of a form that can send the answer of a device; the script fills in the empty
 * one.
 */
export function passkeyFields({ sealed }: PasskeyQuestion): Record<string, string> {
  return { passkey_challenge: sealed, passkey: '' }
}

interface PasskeyButtonProps {
  kind: 'prove' | 'make'
  question: PasskeyQuestion
  /** Where the form is sent with the answer. */
  action: string
  /** Whether the browser may offer it before the button is used. */
  waits?: boolean
  look: 'primary' | 'plain'
  /** What else the page takes, after "Try again, or". */
  otherwise?: string | undefined
  children: string
}

function cancelled({ kind, otherwise }: PasskeyButtonProps): string {
  if (kind === 'make') return 'No passkey was made. You can try again.'
  return `No passkey was used. Try again${otherwise === undefined ? '' : `, or ${otherwise}`}.`
}

/** Inside a form with `passkeyFields`; one on a page. */
export function PasskeyButton(props: PasskeyButtonProps) {
  const { kind, question, action, waits, look, children } = props
  return (
    <>
      <button
        type="button"
        class={`button button-${look}`}
        data-passkey={kind}
        data-passkey-options={JSON.stringify(question.options)}
        data-passkey-action={action}
        data-passkey-waits={waits === true ? '' : undefined}
        data-passkey-cancelled={cancelled(props)}
        data-passkey-known="This device already has a passkey of yours for this school."
        hidden
      >
        {children}
      </button>
      <p id="passkey-told" class="field-hint" role="status" />
    </>
  )
}

/** Stands where there is nothing but a passkey button, until the script shows that button. */
export function PasskeyUnable({ children }: { children: string }) {
  return (
    <p id="passkey-unable">
      {`${children}: it needs scripts, a secure address (https) and a recent browser.`}
    </p>
  )
}

/**
 * Takes what `formTokenFor` made or what a form sent back: the owner behind the token does not
 * matter here.
 */
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
