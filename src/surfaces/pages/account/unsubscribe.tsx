import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Topic } from '../../../domain/notifications/causes.ts'
import { openUnsubscribe, UNSUBSCRIBE_PATH } from '../../../domain/notifications/news-mail.ts'
import { setSubscription } from '../../../domain/notifications/subscriptions.ts'
import { Button, Name } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { sendPage } from '../frame/page-request.ts'
import { NOTIFICATIONS_PATH } from '../frame/paths.ts'

/** Above the button. */
const ASKED: Readonly<Record<Topic, string>> = {
  announcements: 'Stop emails with announcements?',
  comments: 'Stop emails about comments?',
  courses: 'Stop emails about courses?',
  events: 'Stop emails about events?',
  meetings: 'Stop emails about meetings?',
  payments: 'Stop emails about payments?',
}

interface UnsubscribeProps {
  school: Branding
  topic: Topic
  /** As it stands in the address. */
  link: string
}

export function unsubscribePage({ school, topic, link }: UnsubscribeProps): string {
  return renderPage(
    <CardPage title="Unsubscribe" heading="Fewer emails" school={school}>
      <p class="lead">{ASKED[topic]}</p>
      <p>
        <Name text={school.name} fallback="This school" /> still tells you in your inbox there.
      </p>
      <form method="post" action={`${UNSUBSCRIBE_PATH}?${new URLSearchParams({ link })}`}>
        <Button look="primary">Stop these emails</Button>
      </form>
    </CardPage>,
  )
}

export function unsubscribedPage(school: Branding): string {
  return renderPage(
    <CardPage title="You will get no more of these emails" school={school}>
      <p>
        It takes effect at once; one that is on its way may still arrive. You can choose again in{' '}
        <a href={NOTIFICATIONS_PATH}>your settings</a>.
      </p>
    </CardPage>,
  )
}

/** Answers 400. */
export function unknownUnsubscribePage(school: Branding): string {
  return renderPage(
    <CardPage title="This link does not work" school={school}>
      <p>
        It is not complete, or belongs to another school. Copy the whole link, or choose in{' '}
        <a href={NOTIFICATIONS_PATH}>your settings</a>.
      </p>
    </CardPage>,
  )
}

/**
 * The link in each mail with notifications. A GET changes nothing, because programs that check
 * mails open links. The POST comes from a program of the reader's mail provider (RFC 8058 §3.2) or
 * from the page: it needs no cookie, no session and no form token, because the link itself is the
 * proof, and all that it does is to turn off the mails of one topic for one person.
 */
export function addUnsubscribeRoutes(app: FastifyInstance, { keyring }: AppContext): void {
  const linkOf = (request: FastifyRequest) => queryOf(request).get('link') ?? ''
  const opened = (request: FastifyRequest) =>
    openUnsubscribe(keyring, request.school.id, linkOf(request))
  const unknown = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(reply, request, 'site', unknownUnsubscribePage(brandingOf(request.school)), 400)

  app.get(UNSUBSCRIBE_PATH, async (request, reply) => {
    const found = opened(request)
    if (found === undefined) return unknown(request, reply)
    const { topic } = found
    const props = { school: brandingOf(request.school), topic, link: linkOf(request) }
    return sendPage(reply, request, 'site', unsubscribePage(props))
  })

  app.post(UNSUBSCRIBE_PATH, async (request, reply) => {
    const found = opened(request)
    if (found === undefined) return unknown(request, reply)
    const { user, topic } = found
    await setSubscription(request.schoolDb, user, { topic, channel: 'email', enabled: false })
    return sendPage(reply, request, 'site', unsubscribedPage(brandingOf(request.school)))
  })
}
