import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import {
  type EventOfViewer,
  findPublicEvent,
  registrationState,
} from '../../../domain/events/public-events.ts'
import {
  changeRegistration,
  createRegistration,
} from '../../../domain/events/registration-operations.ts'
import { performOperation } from '../../../domain/operation/operation.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Alert, Button, Facts, Form } from '../../../foundation/html/components.tsx'
import { Moment, MomentInZone } from '../../../foundation/html/moment.tsx'
import { Badge, ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage, slugOf } from '../frame/layout.tsx'
import { countOwnChange, memberActor } from '../frame/own-places.ts'
import { beginningOf, WrittenText } from '../frame/parts.tsx'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { memberOf } from '../frame/session.ts'
import { type SignedInVisit, signedInVisit, visitOf } from '../frame/visit.ts'
import { formatMoney } from '../frame/words.ts'
import { toList } from './lists.tsx'
import { HowToGet } from './offers.tsx'
import { isPreview, withPreviewMark } from './writing.tsx'

const PATH = '/events/:slug'

const NOTICES = {
  registered: 'You have a place.',
  canceled: 'Your registration is canceled.',
  refused: { warning: 'Nothing was changed. Look at the event again.' },
}

/** The page of an event, where members register if it is free and has a place. */
export function addEventRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const isMarked = isPreview(request, session)
    const event = await load(request, session, isMarked)
    const page = eventPage({
      ...withPreviewMark(visit.frame(NOTICES), isMarked, event),
      timeZone: request.school.timeZone,
      contactEmail: request.school.contactEmail,
      event,
      isMember: visit.memberId !== undefined,
      isPreview: isMarked && !event.isPublic,
    })
    return visit.page(page)
  })

  app.post(PATH, async (request, reply) => {
    const here = `/events/${encodeURIComponent(slugOf(request))}`
    const visit = await signedInVisit(context, request, reply, here)
    const { session } = visit
    const form = visit.form()
    await countOwnChange(visit)
    const event = await load(request, session)
    const wanted = form.get('registration')
    const isDone =
      wanted === 'register'
        ? await register(visit, event)
        : wanted === 'cancel' && (await cancel(visit, event))
    const word = isDone ? (wanted === 'register' ? 'registered' : 'canceled') : 'refused'
    return visit.goTo(`${here}?done=${word}`)
  })
}

async function register(visit: SignedInVisit, { id: event_id }: EventOfViewer): Promise<boolean> {
  const input = { event_id, member_id: visit.session.person.id }
  const { kind } = await performOperation(createRegistration, visit.db, memberActor(visit), input)
  return kind === 'done'
}

async function cancel(visit: SignedInVisit, { registration }: EventOfViewer): Promise<boolean> {
  if (registration === null) return false
  const input = { id: registration.id, state: 'canceled' } as const
  const { kind } = await performOperation(changeRegistration, visit.db, memberActor(visit), input)
  return kind === 'done'
}

async function load(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  isMarked = false,
): Promise<EventOfViewer> {
  const event = await findPublicEvent(
    request.schoolDb,
    slugOf(request),
    memberOf(session),
    isMarked,
  )
  if (event !== undefined) return event
  throw new RequestRefusedError(404, 'This event does not exist, or it is no longer public.')
}

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
    listed: event.state === 'published' && {
      path: `/events/${event.slug}`,
      description: beginningOf({ text: event.description, html: event.html }),
    },
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={event.registration === null ? toList(PUBLIC_LISTS.events) : TO_OWN}
        />
        <section class="panel" aria-label="About this event">
          <Facts
            look="facts facts-short"
            rows={facts.map(([term, fact]) => [term, <span dir="auto">{fact}</span>])}
          />
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
  switch (registrationState(event)) {
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
