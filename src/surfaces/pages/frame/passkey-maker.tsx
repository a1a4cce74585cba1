import { findFactorPlaces } from '../../../domain/people/factors/demand.ts'
import { askForPasskey, type PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import type { PasskeysOfPerson } from '../../../domain/people/passkeys/passkeys.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Form } from '../../../foundation/html/components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { SiteFrame } from './layout.tsx'
import { challengeFormOf, PasskeyButton, passkeyFields } from './passkey-parts.tsx'
import { PASSKEYS_PATH } from './paths.ts'
import { isRecent } from './recent-proof.ts'
import type { SignedInVisit } from './visit.ts'

interface MakerProps {
  formToken: string
  question: PasskeyQuestion
  /** The page to go back to, if it is not the list. */
  from?: 'account' | 'settings'
  /** Whether the browser may make one by itself. */
  silent?: boolean
}

/** One click makes a passkey. */
export function PasskeyMaker({ formToken, question, from, silent }: MakerProps) {
  const hidden = { from, ...passkeyFields(question) }
  return (
    <Form action={PASSKEYS_PATH} formToken={formToken} hidden={hidden}>
      <div class="actions">
        <PasskeyButton
          kind="make"
          question={question}
          action={PASSKEYS_PATH}
          waits={silent === true}
          look="primary"
        >
          Create a passkey
        </PasskeyButton>
      </div>
    </Form>
  )
}

/** A password that was typed longer ago is no reason for the browser to offer a passkey instead. */
const SILENT_MINUTES = 5

/**
 * Whether the browser may make a passkey without a question: just after a sign-in with a password,
 * and never again for a person who had one here, who may have removed it on purpose.
 */
function mayMakeSilently(session: BrowserSession, { handle }: PasskeysOfPerson): boolean {
  const minutes = (session.readAt.getTime() - session.authenticatedAt.getTime()) / 60_000
  return handle === undefined && session.methods.includes('password') && minutes < SILENT_MINUTES
}

/** What the pages that offer one show about passkeys. */
export async function offerPasskey(
  visit: SignedInVisit,
  known: PasskeysOfPerson,
  frame: SiteFrame,
) {
  const { session } = visit
  const silent = mayMakeSilently(session, known)
  const mayAsk = isRecent(session) && (await findFactorPlaces(visit.db, session)) === undefined
  const question = mayAsk ? askToMake(visit, known, { ...frame, silent }) : undefined
  return { count: known.passkeys.length, question, silent }
}

export function askToMake(
  { context, request, session: { person } }: SignedInVisit,
  known: PasskeysOfPerson,
  { viewer, silent }: SiteFrame & { readonly silent: boolean },
): PasskeyQuestion {
  return askForPasskey(challengeFormOf(context, request, viewer?.formToken ?? ''), {
    party: relyingPartyOf(request.school.origin, context.passkeys),
    schoolName: plainText(request.school.name) || 'School',
    person: { ...person, name: plainText(person.name) },
    ...{ known, silent },
  })
}
