import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NOT_ME_PATH } from '../../../domain/people/link-paths.ts'
import { endByNotMeLink, findNotMe } from '../../../domain/people/not-me-link.ts'
import { Alert, Button, Email, Form } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { catchBusy, sendPage } from '../frame/page-request.ts'
import { forgetSession } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'

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

/**
 * The link "it was not me" of a mail. Opening it changes nothing: programs open links to check
 * mails.
 */
export function addNotMeRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(NOT_ME_PATH, async (request, reply) => {
    const query = queryOf(request)
    if (query.has('done')) {
      return sendPage(reply, request, 'site', everythingEndedPage(brandingOf(request.school)))
    }
    return await ask(await visitOf(context, request, reply), query.get('token') ?? '')
  })

  app.post(NOT_ME_PATH, async (request, reply) => {
    request.queuedMail = true
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = visit.form()
    const token = form.get('token') ?? ''
    const hasEnded = await catchBusy(endByNotMeLink(request.schoolDb, token, request.id))
    if (typeof hasEnded === 'object') {
      reply.header('retry-after', hasEnded.retryAfterSeconds)
      return await ask(visit, token, 503)
    }
    if (!hasEnded) return expired(request, reply)
    if (session !== undefined) forgetSession(request, reply)
    return visit.goTo(`${NOT_ME_PATH}?done`)
  })
}

async function ask(visit: Visit, token: string, status = 200): Promise<FastifyReply> {
  const { request, reply } = visit
  const person = await findNotMe(request.schoolDb, token)
  if (person === undefined) return expired(request, reply)
  const page = notMePage({
    school: brandingOf(request.school),
    formToken: visit.formToken(),
    token,
    email: person.email,
    isBusy: status === 503,
  })
  return visit.page(page, status)
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, request, 'site', notMeExpiredPage(brandingOf(request.school)), 400)
}
