import {
  acceptInvitation,
  INVITATION_DAYS,
  type Invited,
  noteOpened,
  openInvitation,
} from '../../../domain/people/accept-invitation.ts'
import { INVITATION_PATH } from '../../../domain/people/link-paths.ts'
import { Email, Name } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import { homeOf } from './after-sign-in.ts'
import type { FirstPasswordLink } from './first-password.tsx'

/** The link in an invitation. */
export const invitation: FirstPasswordLink<Invited> = {
  path: INVITATION_PATH,
  title: 'Invitation',
  button: 'Accept invitation',
  lead: (school, email) => (
    <>
      <Name text={school.name} fallback="This school" /> invited you. You will sign in with{' '}
      <Email text={email} /> and this password.
    </>
  ),
  async open({ context, request, db }, sealed) {
    const link = openInvitation(context.keyring, request.school.id, sealed)
    return link === undefined ? undefined : await noteOpened(db, link)
  },
  instead(visit, { userId, hasCredential, email }) {
    const { session, request } = visit
    if (session?.person.id === userId) return visit.goTo(homeOf(session.roles))
    if (!hasCredential) return undefined
    const page = invitationKnownPage(brandingOf(request.school), email)
    return visit.page(page, 200, 'authorization')
  },
  accept: acceptInvitation,
  expiredPage: invitationExpiredPage,
  endedPage: invitationExpiredPage,
  placeAfter: (_visit, _invited, roles) => homeOf(roles),
}

/** For a person who has an account. They have proven the mailbox, so this may be told. */
export function invitationKnownPage(school: Branding, email: string): string {
  return renderPage(
    <CardPage
      title="Invitation"
      heading={
        <>
          Welcome to <Name text={school.name} fallback="this school" />
        </>
      }
      school={school}
    >
      <p>
        You already have an account with the address <Email text={email} />. Sign in with it.
      </p>
      <ButtonLink look="primary" href="/sign-in">
        Sign in
      </ButtonLink>
      <p class="aside">
        <a href="/forgotten-password">Forgot your password?</a>
      </p>
    </CardPage>,
  )
}

/** Answers 400. */
export function invitationExpiredPage(school: Branding): string {
  return renderPage(
    <CardPage title="This invitation has expired" school={school}>
      <p>
        An invitation works for {INVITATION_DAYS} days, while the school has you on its list. Ask{' '}
        <Name text={school.name} fallback="the school" /> to send it again.
      </p>
      <p>
        If you have accepted it already, <a href="/sign-in">sign in</a>.
      </p>
    </CardPage>,
  )
}
