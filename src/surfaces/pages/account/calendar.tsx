import type { FastifyInstance, FastifyReply } from 'fastify'
import { calendarOf } from '../../../domain/consulting/calendar-of-member.ts'
import { endFeed, feedSince, findFeed, renewFeed } from '../../../domain/people/calendar-feed.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { COPY_SCRIPT, Copyable, CopyStatus } from '../../../foundation/html/copyable.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { checkRate, createRateLimiter } from '../../../foundation/http/rate-limit.ts'
import { downloadHeaders } from '../../../foundation/http/security-headers.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { type CalendarEvent, writeCalendar } from '../../../foundation/text/icalendar.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import type { SiteFrame } from '../frame/layout.tsx'
import { memberPage } from '../frame/member-page.tsx'
import { countOwnChange } from '../frame/own-places.ts'
import { CALENDAR_PATH, MEMBER_PATHS } from '../frame/paths.ts'
import { requireRecentProof } from '../frame/recent-proof.ts'
import { memberVisit } from '../frame/visit.ts'

interface CalendarProps extends SiteFrame {
  /** When the address was made; undefined if there is none. */
  since: Date | undefined
  timeZone: string
}

const LEAD =
  'A private address from which your own calendar reads your bookings and events at this school. It looks again by itself, so what is moved moves there, too.'
const UP = { url: MEMBER_PATHS.bookings, label: 'Your bookings' }

export function calendarPage(props: CalendarProps): string {
  const { since } = props
  const formToken = props.viewer?.formToken ?? ''
  return memberPage({
    ...props,
    title: 'Your calendar',
    children: (
      <>
        <PageHead title="Your calendar" lead={LEAD} up={UP} />
        {since === undefined ? (
          <Panel title="There is no address yet">
            <Form action={CALENDAR_PATH} formToken={formToken}>
              <Button look="primary">Make an address</Button>
            </Form>
          </Panel>
        ) : (
          <>
            <Panel
              title="Your calendar has an address"
              lead={
                <>
                  Since <Moment at={since} timeZone={props.timeZone} />. It was shown once, and we
                  store only a hash of it.
                </>
              }
            >
              <Form action={CALENDAR_PATH} formToken={formToken}>
                <p class="field-hint">
                  Lost it, or did another person see it? With a new address the old one stops
                  working.
                </p>
                <Button look="plain">Make a new address</Button>
              </Form>
            </Panel>
            <Panel title="Turn it off" tone="danger" lead="The address stops working at once.">
              <Form action={`${CALENDAR_PATH}/off`} formToken={formToken}>
                <Button look="danger">Turn off the address</Button>
              </Form>
            </Panel>
          </>
        )}
        <p class="row-note">
          An address also ends when you sign out all other browsers, switch on a second factor,
          change your password or email address, or leave the school.
        </p>
      </>
    ),
  })
}

/** The only page that shows the address. */
export function calendarAddressPage({ address, ...frame }: SiteFrame & { address: string }) {
  return memberPage({
    ...frame,
    title: 'Your calendar address',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead title="Your calendar address" up={UP} />
        <section class="panel">
          <Alert tone="warning" title="Copy it now">
            <p>
              It is shown only once. Anyone who knows it can see when and what you booked, so give
              it to your calendar and to no person.
            </p>
          </Alert>
          <Copyable id="calendar-address" what="the address">
            {address}
          </Copyable>
          <CopyStatus />
          <p>
            Choose “Add a calendar from the internet” or “From URL” in your calendar and paste it,
            or let the app on this device do it:
          </p>
          <div class="actions">
            <ButtonLink look="plain" href={address.replace(/^http/, 'webcal')}>
              Open in your calendar app
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}

const NOTICES = { off: 'The address no longer works.' }

const FEED_PATH = '/calendar'

/** Calendars ask every few minutes at most. */
const ASKED_PER_MINUTE = 30

/** The private address of a member's bookings, and the file of each one. */
export function addCalendarRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(CALENDAR_PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const page = calendarPage({
      ...visit.frame(NOTICES),
      since: await feedSince(visit.db, visit.session.person.id),
      timeZone: request.school.timeZone,
    })
    return visit.page(page)
  })

  app.post(CALENDAR_PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply, CALENDAR_PATH)
    visit.form()
    // A thief at a browser that was left open would read the bookings long after it was closed.
    requireRecentProof(request, visit.session)
    await countOwnChange(visit)
    const owner = { userId: visit.session.person.id, requestId: request.id }
    const key = await renewFeed(visit.db, owner)
    const address = `${request.school.origin}${FEED_PATH}/${key}.ics`
    return visit.scriptedPage(COPY_SCRIPT, calendarAddressPage({ ...visit.frame(), address }))
  })

  app.post(`${CALENDAR_PATH}/off`, async (request, reply) => {
    const visit = await memberVisit(context, request, reply, CALENDAR_PATH)
    visit.form()
    await endFeed(visit.db, { userId: visit.session.person.id, requestId: request.id })
    return visit.goTo(`${CALENDAR_PATH}?done=off`)
  })

  app.get(`${CALENDAR_PATH}/:file`, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { person, readAt: now } = visit.session
    const { origin, name } = request.school
    const id = nameOf(request.params)
    const events = isUuid(id) ? await calendarOf(visit.db, person.id, { origin, now, id }) : []
    if (events.length === 0) throw new RequestRefusedError(404, 'You have no such booking.')
    return sendCalendar(reply, name, events)
  })

  const limiter = createRateLimiter({
    ...{ name: 'calendar', quota: ASKED_PER_MINUTE, windowSeconds: 60 },
  })
  app.get(`${FEED_PATH}/:file`, async (request, reply) => {
    const { schoolDb: db, school } = request
    reply.header('x-robots-tag', 'noindex')
    const feed = await findFeed(db, nameOf(request.params))
    if (feed === undefined) return sendNoCalendar(reply)
    checkRate(limiter, feed.id, reply)
    const asked = { origin: school.origin, now: feed.readAt }
    return sendCalendar(reply, school.name, await calendarOf(db, feed.userId, asked))
  })
}

/** What stands before `.ics`. */
function nameOf(params: unknown): string {
  const { file } = params as { file: string }
  return file.endsWith('.ics') ? file.slice(0, -4) : ''
}

function sendCalendar(reply: FastifyReply, name: string, events: readonly CalendarEvent[]) {
  const text = writeCalendar(plainText(name), events)
  const file = {
    name: 'bookings.ics',
    sizeBytes: Buffer.byteLength(text),
    servedType: 'text/calendar; charset=utf-8',
  }
  return reply.headers(downloadHeaders(file, 'private')).send(text)
}

/** Says nothing about why. */
function sendNoCalendar(reply: FastifyReply) {
  const text = 'There is no calendar at this address.\n'
  const file = { name: 'missing.txt', sizeBytes: text.length, servedType: 'text/plain' }
  return reply.code(404).headers(downloadHeaders(file, 'private')).send(text)
}
