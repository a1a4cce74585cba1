import type { FastifyInstance } from 'fastify'
import { NOT_ME_PATH } from '../../../domain/people/link-paths.ts'
import { endByNotMeLink, findNotMe } from '../../../domain/people/not-me-link.ts'
import { Alert, Button, Email, Form } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type Busy, catchBusy, sendPage } from '../frame/page-request.ts'
import { forgetSession } from '../frame/session.ts'
import { addMailLinkRoutes, type MailLink } from './mail-link.ts'

const ENDED_PATH = `${NOT_ME_PATH}/done`

interface NotMeProps {
  school: Branding
  formToken: string
  token: string
  email: string
  isBusy?: boolean
}

export function notMePage({ school, formToken, token, email, isBusy }: NotMeProps): string {
  return renderPage(
    <CardPage title="Was it not you?" isWrong={isBusy} school={school}>
      {isBusy && (
        <Alert tone="error" title="Please try again">
          <p>Many people are signing in right now. Nothing has ended yet.</p>
        </Alert>
      )}
      <p>
        If someone else used the account <Email text={email} />, end everything now, at every
        school:
      </p>
      <ul>
        <li>every browser is signed out,</li>
        <li>every connected app loses its access,</li>
        <li>passkeys and authenticator apps that were added in the last week are removed,</li>
        <li>the password stops working. We email you a link to choose a new one.</li>
      </ul>
      <Form action={NOT_ME_PATH} formToken={formToken} hidden={{ token }}>
        <Button look="danger">It was not me: end everything</Button>
      </Form>
      <p class="aside">
        <a href="/account">It was me</a>
      </p>
    </CardPage>,
  )
}

export function everythingEndedPage(school: Branding): string {
  return renderPage(
    <CardPage title="Everything has ended" school={school}>
      <p>
        All browsers are signed out and all apps are disconnected. Check your email: we have sent
        you a link to choose a new password.
      </p>
      <p>If another person can read your email, change the password of your mailbox first.</p>
      <p class="aside">
        <a href="/forgotten-password">Send me another link</a>
      </p>
    </CardPage>,
  )
}

/** Answers 400. */
export function notMeExpiredPage(school: Branding): string {
  return renderPage(
    <CardPage title="This link has expired" school={school}>
      <p>The link in such an email works once, for a week. Nothing was ended.</p>
      <p>
        You can still <a href="/forgotten-password">set a new password</a>, which signs you out
        everywhere, or look at <a href="/account/sessions">your signed-in browsers</a>.
      </p>
    </CardPage>,
  )
}

/** The link "it was not me" of a mail. */
const notMeLink: MailLink<{ readonly email: string }, Busy> = {
  path: NOT_ME_PATH,
  field: 'token',
  open: ({ db }, token) => findNotMe(db, token),
  question: ({ opened, link, problem, ...props }) =>
    notMePage({ ...props, token: link, email: opened.email, isBusy: problem !== undefined }),
  expiredPage: notMeExpiredPage,
  async act(visit, token) {
    const { request, reply, session } = visit
    const hasEnded = await catchBusy(endByNotMeLink(visit.db, token, request.id))
    if (typeof hasEnded === 'object') return hasEnded
    if (!hasEnded) return 'expired'
    if (session !== undefined) forgetSession(request, reply)
    return visit.goTo(ENDED_PATH)
  },
}

export function addNotMeRoutes(app: FastifyInstance, context: AppContext): void {
  addMailLinkRoutes(app, context, notMeLink)
  app.get(ENDED_PATH, async (request, reply) =>
    sendPage(reply, request, 'site', everythingEndedPage(brandingOf(request.school))),
  )
}
