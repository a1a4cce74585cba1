import type { OwnedProduct } from '../../../../domain/commerce/bought-access.ts'
import type { MemberMeeting } from '../../../../domain/consulting/meetings-of-member.ts'
import type { MemberRegistration } from '../../../../domain/events/registrations-of-member.ts'
import { ButtonLink } from '../../../../foundation/html/site-components.tsx'
import type { ListPage } from '../list-body.tsx'
import { PUBLIC_LISTS } from '../public-list.tsx'
import { NavLink, type SiteFrame } from '../site-layout.tsx'
import { CourseRow, type ShownCourse } from './course-row.tsx'
import { memberList } from './list.tsx'
import { MEMBER_PATHS } from './member-page.tsx'
import { EventRow, MeetingRow, ProductRow } from './rows.tsx'

interface ListProps<Row> extends SiteFrame {
  page: ListPage<Row>
  timeZone: string
}

export function coursesPage(props: ListProps<ShownCourse>): string {
  return memberList({
    ...props,
    title: 'Your courses',
    path: MEMBER_PATHS.courses,
    empty: (
      <>
        <p>You are not enrolled in a course yet.</p>
        <ButtonLink look="primary" href={PUBLIC_LISTS.courses.path}>
          Find a course
        </ButtonLink>
      </>
    ),
    row: (course) => <CourseRow course={course} timeZone={props.timeZone} />,
  })
}

const PAST = `${MEMBER_PATHS.bookings}?when=past`

interface BookingsProps extends ListProps<MemberMeeting> {
  now: Date
  when: 'to_come' | 'past'
}

export function bookingsPage(props: BookingsProps): string {
  const { when, timeZone, now } = props
  const isPast = when === 'past'
  const path = isPast ? PAST : MEMBER_PATHS.bookings
  return memberList({
    ...props,
    title: 'Your bookings',
    lead: 'Consulting hours and classes of your study groups.',
    path,
    label: isPast ? 'Older' : 'Later',
    above: (
      <nav class="tabs" aria-label="Which bookings">
        <NavLink href={MEMBER_PATHS.bookings} here={path}>
          To come
        </NavLink>
        <NavLink href={PAST} here={path}>
          Past
        </NavLink>
      </nav>
    ),
    empty: isPast ? (
      <p>You have no past bookings.</p>
    ) : (
      <p>No booking ahead. A consulting hour or class that you book appears here.</p>
    ),
    row: (meeting) => <MeetingRow meeting={meeting} timeZone={timeZone} now={now} />,
  })
}

export function eventsPage(props: ListProps<MemberRegistration> & { now: Date }): string {
  const { timeZone, now } = props
  return memberList({
    ...props,
    title: 'Your events',
    lead: 'The events that you have a place at, your latest registration first.',
    path: MEMBER_PATHS.events,
    empty: (
      <p>
        You have no place at an event.{' '}
        <a href={PUBLIC_LISTS.events.path}>See what the school has coming up</a>
      </p>
    ),
    row: (registration) => <EventRow registration={registration} timeZone={timeZone} now={now} />,
  })
}

export function downloadsPage(props: ListProps<OwnedProduct>): string {
  return memberList({
    ...props,
    title: 'Your downloads',
    path: MEMBER_PATHS.downloads,
    empty: <p>Nothing to download yet. Files that you buy from the school appear here.</p>,
    row: (product) => <ProductRow product={product} timeZone={props.timeZone} />,
  })
}
