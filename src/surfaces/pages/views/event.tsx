import type { ComponentChildren } from 'preact'
import { type EventOfViewer, registrationStanding } from '../../../domain/events/public-events.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { Moment, MomentInZone } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { Badge, ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { HowToGet } from './how-to-get.tsx'
import { MEMBER_PATHS } from './member/member-page.tsx'
import { formatMoney } from './money.ts'
import { PUBLIC_LISTS, toList } from './public-list.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { WrittenText } from './written-text.tsx'

interface EventProps extends SiteFrame {
  contactEmail?: string | undefined
  timeZone: string
  event: EventOfViewer
  /** Whether the viewer is a member of the school. */
  isMember: boolean
  /** Whether an operator looks at it before it is public: it takes no registrations. */
  isPreview?: boolean | undefined
}

const TO_OWN = { url: MEMBER_PATHS.events, label: 'Your events' }

export function eventPage(props: EventProps): string {
  const { event, timeZone } = props
  const title = plainText(event.title) || 'Untitled'
  const facts = factsOf(event, timeZone)
  return sitePage({
    ...props,
    title,
    listed: event.state === 'published',
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={event.registration === null ? toList(PUBLIC_LISTS.events) : TO_OWN}
        />
        <section class="panel" aria-label="About this event">
          <dl class="facts facts-short">
            {facts.map(([term, fact]) => (
              <div>
                <dt>{term}</dt>
                <dd dir="auto">{fact}</dd>
              </div>
            ))}
          </dl>
          <Registration {...props} />
        </section>
        <WrittenText school={props.school} text={event.description} html={event.html} />
      </>
    ),
  })
}

function factsOf(event: EventOfViewer, timeZone: string): [string, ComponentChildren][] {
  const When = event.isOnline ? MomentInZone : Moment
  const facts: [string, ComponentChildren][] = [
    ['Starts', <When at={event.startsAt} timeZone={timeZone} />],
    ['Ends', <When at={event.endsAt} timeZone={timeZone} />],
    ['Price', formatMoney(event.priceAmount, event.currency)],
  ]
  if (event.location !== '') facts.push(['Where', plainText(event.location, 500)])
  if (event.state === 'canceled' || event.isOver) return facts
  if (event.isOnline && event.onlineUrl === null) {
    facts.push(['Online', 'You get the address after you register'])
  }
  if (event.capacity !== null) {
    const left = Math.max(0, event.capacity - event.registrationCount)
    facts.push(['Places', `${left} of ${event.capacity} left`])
  }
  return facts
}

function Registration(props: EventProps) {
  const { event, isMember, isPreview = false, viewer, here } = props
  const act = (value: 'register' | 'cancel', button: ComponentChildren) =>
    viewer !== undefined && (
      <Form
        action={`/events/${event.slug}`}
        formToken={viewer.formToken}
        hidden={{ registration: value }}
      >
        {button}
      </Form>
    )
  switch (registrationStanding(event)) {
    case 'canceled':
      return <Alert tone="warning" title="This event was canceled." />
    case 'attended':
      return <p class="row-note">You attended this event.</p>
    case 'registered':
      return (
        <>
          <p>
            <Badge tone="good">You are registered</Badge>
          </p>
          {(event.onlineUrl !== null || event.canCancel) && (
            <div class="actions">
              {event.onlineUrl !== null && (
                <ButtonLink look="primary" href={event.onlineUrl}>
                  Join online
                </ButtonLink>
              )}
              {event.canCancel &&
                act('cancel', <Button look="plain">Cancel my registration</Button>)}
            </div>
          )}
        </>
      )
    case 'over':
      return <p class="row-note">This event is over.</p>
    case 'full':
      return <p class="row-note">Every place is taken.</p>
    case 'paid':
      return <HowToGet {...props} act="register" question="Do you have a place already?" />
    case 'open':
      if (isPreview) return <p class="row-note">Here members register.</p>
      if (viewer === undefined) {
        return (
          <div class="actions">
            <ButtonLink look="primary" href={`/sign-in?return_to=${encodeURIComponent(here)}`}>
              Sign in to register
            </ButtonLink>
          </div>
        )
      }
      return isMember ? (
        act('register', <Button look="primary">Register</Button>)
      ) : (
        <>
          <p class="row-note">Only members of the school can register.</p>
          <HowToGet {...props} act="become a member" />
        </>
      )
  }
}
