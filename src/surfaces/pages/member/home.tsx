import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ComponentChildren } from 'preact'
import { type OwnedProduct, productsOf } from '../../../domain/commerce/bought-access.ts'
import { paymentsToPay } from '../../../domain/commerce/payments-of-member.ts'
import {
  type Booking,
  meetingsToCome,
  TAKES_PLACE,
  withDetails,
} from '../../../domain/consulting/meetings-of-member.ts'
import {
  type MemberRegistration,
  nextEventsOf,
} from '../../../domain/events/registrations-of-member.ts'
import { coursesInUse } from '../../../domain/learning/enrolled-courses.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { countUnreadOf, type InboxEntry, inboxOf } from '../../../domain/notifications/inbox.ts'
import { findDeletions } from '../../../domain/people/deletion/deletion-requests.ts'
import { findRemoval } from '../../../domain/people/factors/lost-factors.ts'
import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import { passkeysOf } from '../../../domain/people/passkeys/passkeys.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Avatar, Email, Name } from '../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus } from '../../../foundation/html/copyable.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { memberPage } from '../frame/member-page.tsx'
import { DeletionNotice, type Person, type WaitingDeletion } from '../frame/parts.tsx'
import { offerPasskey, PasskeyMaker } from '../frame/passkey-maker.tsx'
import { PASSKEY_SCRIPT } from '../frame/passkey-parts.tsx'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { isRecent } from '../frame/recent-proof.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'
import { countUpTo } from '../frame/words.ts'
import { LostFactorNotice } from '../sign-in/lost-factor.tsx'
import { MOST_DUE, PaymentDue, type ShownPayment } from './payment-due.tsx'
import { withLines } from './payments.tsx'
import { BookingRow, EventRow, InboxRow, ProductRow } from './rows.tsx'
import { CourseRow, type ShownCourse, shownCourses } from './shown-courses.tsx'

const NOTICES = { passkey: 'Your passkey is ready. You can sign in with it from now on.' }

const COURSES_SHOWN = 6

const latest = (limit: number) => ({ limit, fromEnd: false })

/** The home of a member: what they have at the school, and what to do next. */
export function addMemberHomeRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  app.get('/account', async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const frame = visit.frame(NOTICES)
    if (visit.memberId !== undefined) {
      return await showHome(visit, { ...frame, outlines })
    }
    const { signUp, contactEmail } = request.school
    return visit.page(strangerHomePage({ ...frame, signUp, contactEmail }))
  })
}

async function showHome(
  visit: SignedInVisit,
  { outlines, ...frame }: SiteFrame & { readonly outlines: OutlineCache },
): Promise<FastifyReply> {
  const { request, session } = visit
  const { schoolDb: db } = request
  const { timeZone, videoHosts } = request.school
  const { id } = session.person
  const now = session.readAt
  const [
    courses,
    bookings,
    toPay,
    inbox,
    unread,
    events,
    downloads,
    waitingDeletions,
    removalDueAt,
    passkey,
  ] = await Promise.all([
    coursesInUse(db, id, COURSES_SHOWN).then((found) =>
      shownCourses(db, id, outlines, found, videoHosts),
    ),
    meetingsToCome(db, id, { states: TAKES_PLACE, now }, { limit: 1 }).then((found) =>
      withDetails(db, found),
    ),
    paymentsToPay(db, id, MOST_DUE + 1).then((found) => withLines(db, found)),
    inboxOf(db, id, latest(3)),
    countUnreadOf(db, id),
    nextEventsOf(db, id, 3),
    productsOf(db, id, latest(3)),
    findDeletions(db, id),
    findRemoval(acrossSchools(db), id),
    firstPasskey(visit, frame),
  ])
  const props = {
    person: { ...session.person, avatarUrl: pictureUrl(session.person.avatarUrl, '') },
    ...{ now, timeZone },
    ...{
      courses,
      bookings,
      toPay,
      inbox,
      unread,
      events,
      downloads,
      waitingDeletions,
      removalDueAt,
      passkey,
    },
  }
  const page = memberHomePage({ ...frame, ...props })
  const script = scriptOfHome(props)
  return script === undefined ? visit.page(page) : visit.scriptedPage(script, page)
}

/**
 * Undefined for a person who has one, or whose last proof is too old to make one without being
 * asked for it again.
 */
async function firstPasskey(visit: SignedInVisit, frame: SiteFrame) {
  const { session, request } = visit
  if (!isRecent(session)) return undefined
  const known = await passkeysOf(request.schoolDb, session.person.id)
  if (known.passkeys.length > 0) return undefined
  const { question, silent } = await offerPasskey(visit, known, frame)
  return question === undefined ? undefined : { question, silent }
}

interface MemberHomeProps extends SiteFrame {
  person: Person
  now: Date
  timeZone: string
  courses: readonly ShownCourse[]
  bookings: readonly Booking[]
  toPay: readonly ShownPayment[]
  inbox: readonly InboxEntry[]
  unread: number
  events: readonly MemberRegistration[]
  downloads: readonly OwnedProduct[]
  waitingDeletions: readonly WaitingDeletion[]
  /** Of passkeys and the authenticator app that were reported as lost. */
  removalDueAt: Date | undefined
  /** Asks the device to make the first passkey, just after a sign-in. */
  passkey: { question: PasskeyQuestion; silent: boolean } | undefined
}

/**
 * The one script of the page: to copy codes, or to make a passkey where there is nothing to copy.
 */
function scriptOfHome({ toPay, passkey }: Pick<MemberHomeProps, 'toPay' | 'passkey'>) {
  if (toPay.some(({ codeNo }) => codeNo !== null)) return COPY_SCRIPT
  return passkey === undefined ? undefined : PASSKEY_SCRIPT
}

export function memberHomePage(props: MemberHomeProps): string {
  const { person } = props
  const script = scriptOfHome(props)
  return memberPage({
    ...props,
    title: 'Your home',
    script,
    children: (
      <>
        <div class="app-head">
          <Avatar name={person.name || person.email} url={person.avatarUrl} />
          <div>
            <h1>
              Hello, <Name text={person.name} fallback="welcome back" />
            </h1>
            <p class="email">
              <Email text={person.email} />
            </p>
          </div>
        </div>
        <LostFactorNotice dueAt={props.removalDueAt} timeZone={props.timeZone} />
        <DeletionNotice
          waiting={props.waitingDeletions}
          formToken={props.viewer?.formToken ?? ''}
          timeZone={props.timeZone}
        />
        {props.toPay.length > 0 && <ToPay {...props} />}
        {props.bookings.length > 0 && <Bookings {...props} />}
        <Courses {...props} />
        <Inbox {...props} />
        <Events {...props} />
        {props.downloads.length > 0 && <Downloads {...props} />}
        {props.bookings.length === 0 && <Bookings {...props} />}
        {props.toPay.length === 0 && <ToPay {...props} />}
        {script === PASSKEY_SCRIPT && props.passkey !== undefined && (
          <div class="with-passkeys">
            <Panel
              title="Sign in without a password"
              lead="With your fingerprint, your face or the PIN of your device."
            >
              <PasskeyMaker
                formToken={props.viewer?.formToken ?? ''}
                question={props.passkey.question}
                from="account"
                silent={props.passkey.silent}
              />
            </Panel>
          </div>
        )}
      </>
    ),
  })
}

function Section(props: {
  title: ComponentChildren
  empty: ComponentChildren
  /** The page with all of them. */
  all: readonly [path: string, label: string]
  children: readonly ComponentChildren[]
}) {
  const [path, label] = props.all
  return (
    <Panel title={props.title}>
      {props.children.length === 0 ? (
        <Empty>{props.empty}</Empty>
      ) : (
        <ul class="rows">{props.children}</ul>
      )}
      <p class="row-note">
        <a href={path}>{label}</a>
      </p>
    </Panel>
  )
}

const MORE_DUE = 'There is more to pay: all payments'

function ToPay({ toPay, timeZone, now }: MemberHomeProps) {
  return (
    <>
      <Section
        title="To pay"
        empty={<p>You have nothing to pay.</p>}
        all={[MEMBER_PATHS.payments, toPay.length > MOST_DUE ? MORE_DUE : 'All payments']}
      >
        {toPay.slice(0, MOST_DUE).map((payment) => (
          <PaymentDue payment={payment} timeZone={timeZone} now={now} />
        ))}
      </Section>
      <CopyStatus />
    </>
  )
}

function Courses({ courses, timeZone }: MemberHomeProps) {
  return (
    <Section
      title="Your courses"
      all={[MEMBER_PATHS.courses, 'All your courses']}
      empty={
        <>
          <p>You are not enrolled in a course yet.</p>
          <ButtonLink look="primary" href={PUBLIC_LISTS.courses.path}>
            Find a course
          </ButtonLink>
        </>
      }
    >
      {courses.map((course) => (
        <CourseRow course={course} timeZone={timeZone} />
      ))}
    </Section>
  )
}

function Bookings({ bookings, timeZone, now }: MemberHomeProps) {
  return (
    <Section
      title="Next booking"
      all={[MEMBER_PATHS.bookings, 'All your bookings']}
      empty={<p>No booking ahead. A consulting hour or class that you book appears here.</p>}
    >
      {bookings.map((booking) => (
        <BookingRow booking={booking} timeZone={timeZone} now={now} />
      ))}
    </Section>
  )
}

function Inbox({ inbox, unread, timeZone }: MemberHomeProps) {
  return (
    <Section
      all={[MEMBER_PATHS.inbox, 'Open the inbox']}
      title={
        <>Inbox {unread > 0 && <Badge tone="good">{countUpTo(unread, 'new', 'new')}</Badge>}</>
      }
      empty={<p>No messages. News of your courses and payments comes here.</p>}
    >
      {inbox.map((entry) => (
        <InboxRow entry={entry} timeZone={timeZone} />
      ))}
    </Section>
  )
}

function Events({ events, timeZone, now }: MemberHomeProps) {
  return (
    <Section
      title="Your events"
      all={[MEMBER_PATHS.events, 'All your events']}
      empty={
        <p>
          No event ahead. <a href={PUBLIC_LISTS.events.path}>See what the school has coming up</a>
        </p>
      }
    >
      {events.map((registration) => (
        <EventRow registration={registration} timeZone={timeZone} now={now} />
      ))}
    </Section>
  )
}

function Downloads({ downloads, timeZone }: MemberHomeProps) {
  return (
    <Section
      title="Your downloads"
      empty={null}
      all={[MEMBER_PATHS.downloads, 'All your downloads']}
    >
      {downloads.map((product) => (
        <ProductRow product={product} timeZone={timeZone} />
      ))}
    </Section>
  )
}

/** For a person who is signed in, but has no role at this school. */
export function strangerHomePage(
  props: SiteFrame & { signUp: boolean; contactEmail: string | undefined },
): string {
  const school = <Name text={props.school.name} fallback="this school" />
  return sitePage({
    ...props,
    title: 'Your home',
    children: (
      <>
        <PageHead title={<>You are not a member of {school}</>} />
        <section class="panel">
          <p>
            {props.signUp
              ? 'You can join as a student with the account that you have.'
              : 'Ask the school to add you with the email address of your account.'}
            {props.contactEmail !== undefined && (
              <>
                {' '}
                You can write to the school at{' '}
                <a href={`mailto:${encodeURI(props.contactEmail)}`}>{props.contactEmail}</a>.
              </>
            )}
          </p>
          <div class="actions">
            {props.signUp && (
              <ButtonLink look="primary" href="/sign-up">
                Join as a student
              </ButtonLink>
            )}
            <ButtonLink look="plain" href={SETTINGS_PATH}>
              Account settings
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}
