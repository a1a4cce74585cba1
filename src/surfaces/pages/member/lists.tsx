import type { FastifyInstance } from 'fastify'
import { type OwnedProduct, productsOf } from '../../../domain/commerce/bought-access.ts'
import {
  type MemberRegistration,
  registrationsOf,
} from '../../../domain/events/registrations-of-member.ts'
import { enrolledCoursesOf } from '../../../domain/learning/enrolled-courses.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../gate/context.ts'
import type { SiteFrame } from '../frame/layout.tsx'
import { ListBody, type ListBodyProps, type ListPage, readListPage } from '../frame/list-parts.tsx'
import { memberPage } from '../frame/member-page.tsx'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { memberVisit } from '../frame/visit.ts'
import { EventRow, ProductRow } from './rows.tsx'
import { CourseRow, type ShownCourse, shownCourses } from './shown-courses.tsx'

/** All that a member has of one kind, page by page. */
export function addMemberListRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  app.get(MEMBER_PATHS.courses, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session } = visit
    const { schoolDb: db } = request
    const { id } = session.person
    const { timeZone, videoHosts } = request.school
    const found = await readListPage(request, 'courses', (range) =>
      enrolledCoursesOf(db, id, range),
    )
    const rows = await shownCourses(db, id, outlines, found.rows, videoHosts)
    const frame = visit.frame()
    const page = coursesPage({ ...frame, timeZone, page: { ...found, rows } })
    return visit.page(page)
  })

  app.get(MEMBER_PATHS.events, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session } = visit
    const { timeZone } = request.school
    const page = await readListPage(request, 'events', (range) =>
      registrationsOf(request.schoolDb, session.person.id, range),
    )
    const frame = visit.frame()
    const now = session.readAt
    return visit.page(eventsPage({ ...frame, timeZone, now, page }))
  })

  app.get(MEMBER_PATHS.downloads, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session } = visit
    const { timeZone } = request.school
    const page = await readListPage(request, 'downloads', (range) =>
      productsOf(request.schoolDb, session.person.id, range),
    )
    const frame = visit.frame()
    return visit.page(downloadsPage({ ...frame, timeZone, page }))
  })
}

export interface ListProps<Row> extends SiteFrame {
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

interface MemberListProps<Row> extends SiteFrame, ListBodyProps<Row> {
  script?: string | undefined
}

/** A list of what a member has, one page of it. */
export function memberList<Row>(props: MemberListProps<Row>): string {
  return memberPage({ ...props, children: <ListBody {...props} /> })
}
