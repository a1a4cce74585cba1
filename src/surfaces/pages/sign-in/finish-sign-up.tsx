import type { FastifyRequest } from 'fastify'
import { finishSignUp } from '../../../domain/people/sign-up.ts'
import {
  openSignUpLink,
  SIGN_UP_MINUTES,
  type SignUpLink,
} from '../../../domain/people/sign-up-link.ts'
import { Email } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../gate/context.ts'
import { placeAfterSignIn, readAfterSignIn } from './after-sign-in.ts'
import type { FirstPasswordLink } from './first-password.tsx'
import { browserOf, checkSignUpIsOn, SIGN_UP_PATH } from './sign-up-form.tsx'

/** The link in the mail to a person who signs up. */
export const signUpLink: FirstPasswordLink<SignUpLink> = {
  path: `${SIGN_UP_PATH}/finish`,
  title: 'Your account',
  button: 'Make account',
  lead: (_school, email) => (
    <>
      Your account has the address <Email text={email} />.
    </>
  ),
  async open({ context, request }, sealed) {
    checkSignUpIsOn(request)
    return openSignUpLink(context.keyring, request.school.id, sealed)
  },
  accept: finishSignUp,
  expiredPage: linkExpiredPage,
  endedPage: signUpKnownPage,
  placeAfter: ({ context, request }, link) => placeAfterSignUp(context, request, link),
}

/**
 * Only the browser that asked continues to the app. Otherwise a stranger who types the address of
 * another person could lead them, by a mail of the school, to a consent that the stranger chose.
 */
function placeAfterSignUp(context: AppContext, request: FastifyRequest, link: SignUpLink): string {
  if (link.browser === '' || link.browser !== browserOf(request)) return placeAfterSignIn({}, [])
  const { request: sealedRequest, return_to: returnTo } = link
  const fields = Object.entries({ request: sealedRequest, return_to: returnTo })
  const given = fields.filter((field): field is [string, string] => field[1] !== undefined)
  const { keyring } = context
  const after = readAfterSignIn(keyring, request.school.id, new URLSearchParams(given))
  return placeAfterSignIn(after, [])
}

/** Answers 400. */
export function linkExpiredPage(school: Branding): string {
  return renderPage(
    <CardPage title="This link has expired" school={school}>
      <p>A link to make an account works for {SIGN_UP_MINUTES} minutes.</p>
      <ButtonLink look="primary" href={SIGN_UP_PATH}>
        Ask for a new link
      </ButtonLink>
    </CardPage>,
  )
}

/** Answers 400. The reader has proven the mailbox. */
export function signUpKnownPage(school: Branding): string {
  return renderPage(
    <CardPage title="You have an account" school={school}>
      <p>
        There is an account with this email address already, or there was one until a few days ago.
      </p>
      <ButtonLink look="primary" href="/sign-in?return_to=%2Fsign-up">
        Sign in
      </ButtonLink>
      <p class="aside">
        <a href="/forgotten-password">Forgot your password?</a>
      </p>
    </CardPage>,
  )
}
