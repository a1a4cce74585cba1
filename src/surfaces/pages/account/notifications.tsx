import type { FastifyInstance } from 'fastify'
import type { Topic } from '../../../domain/notifications/causes.ts'
import {
  CHANNELS,
  type Channel,
  type Subscription,
  setSubscriptions,
  subscriptionsOf,
} from '../../../domain/notifications/subscriptions.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { Checkbox } from '../../../foundation/html/form-fields.tsx'
import { PageHead } from '../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { NOTIFICATIONS_PATH, TO_SETTINGS } from '../frame/paths.ts'
import { memberVisit } from '../frame/visit.ts'

const TITLE = 'Notifications'

const WORDS: Readonly<Record<Topic, { readonly name: string; readonly about: string }>> = {
  announcements: { name: 'Announcements', about: 'What the school writes to you.' },
  comments: { name: 'Comments', about: 'Answers to what you wrote.' },
  courses: { name: 'Courses', about: 'New access, new lectures, and access that ends.' },
  events: { name: 'Events', about: 'Changes of events that you registered for.' },
  meetings: { name: 'Meetings', about: 'Your bookings and classes: moved, canceled, tomorrow.' },
  payments: { name: 'Payments', about: 'What was paid, is due or was refunded.' },
}

const CHANNEL_WORDS: Readonly<Record<Channel, string>> = {
  email: 'By email',
  in_app: 'In the inbox',
}

interface NotificationsProps extends SiteFrame {
  subscriptions: readonly Subscription[]
  mailIsSent: boolean
}

export function notificationsPage(props: NotificationsProps): string {
  const topics = Object.entries(WORDS) as [Topic, { name: string; about: string }][]
  return sitePage({
    ...props,
    title: TITLE,
    children: (
      <>
        <PageHead title={TITLE} up={TO_SETTINGS} />
        {!props.mailIsSent && (
          <Alert tone="warning" title="This server does not send email">
            <p>Your choice is kept, and takes effect once it does.</p>
          </Alert>
        )}
        <section class="panel">
          <p>
            Emails about your account itself, such as a new password, always come: they protect you.
          </p>
          <Form action={NOTIFICATIONS_PATH} formToken={props.viewer?.formToken ?? ''}>
            {topics.map(([topic, { name, about }]) => (
              <fieldset>
                <legend>{name}</legend>
                <p class="field-hint">{about}</p>
                {CHANNELS.map((channel) => (
                  <Checkbox
                    id={fieldOf({ topic, channel })}
                    name={fieldOf({ topic, channel })}
                    value="yes"
                    label={CHANNEL_WORDS[channel]}
                    checked={props.subscriptions.some(
                      (one) => one.topic === topic && one.channel === channel && one.enabled,
                    )}
                  />
                ))}
              </fieldset>
            ))}
            <Button look="primary">Save</Button>
          </Form>
        </section>
      </>
    ),
  })
}

const fieldOf = ({ topic, channel }: Pick<Subscription, 'topic' | 'channel'>) =>
  `${topic}-${channel}`

const NOTICES = { saved: 'Saved.' }

/** The switches that the Member API has, too. */
export function addNotificationRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(NOTIFICATIONS_PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const page = notificationsPage({
      ...visit.frame(NOTICES),
      subscriptions: await subscriptionsOf(visit.db, visit.session.person.id),
      mailIsSent: context.mailer !== undefined,
    })
    return visit.page(page)
  })

  app.post(NOTIFICATIONS_PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply, NOTIFICATIONS_PATH)
    const form = visit.form()
    const { id } = visit.session.person
    const changed = (await subscriptionsOf(visit.db, id)).flatMap((before) => {
      const enabled = form.get(fieldOf(before)) === 'yes'
      return enabled === before.enabled ? [] : { ...before, enabled }
    })
    if (changed.length > 0) await setSubscriptions(visit.db, id, changed)
    return visit.goTo(`${NOTIFICATIONS_PATH}?done=saved`)
  })
}
