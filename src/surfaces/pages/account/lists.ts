import type { FastifyInstance } from 'fastify'
import { productsOf } from '../../../domain/commerce/bought-access.ts'
import {
  MEETING_STATES,
  meetingsToCome,
  pastMeetings,
} from '../../../domain/consulting/meetings-of-member.ts'
import { registrationsOf } from '../../../domain/events/registrations-of-member.ts'
import { enrolledCoursesOf } from '../../../domain/learning/enrolled-courses.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadMemberSession } from '../browser-session.ts'
import { readListPage } from '../list-page.ts'
import { sendPage } from '../page-request.ts'
import { frameFor, queryOf } from '../site-frame.ts'
import { bookingsPage, coursesPage, downloadsPage, eventsPage } from '../views/member/lists.tsx'
import { MEMBER_PATHS } from '../views/member/member-page.tsx'
import { shownCourses } from './shown-courses.ts'

/** All that a member has of one kind, page by page. */
export function addMemberListRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  app.get(MEMBER_PATHS.courses, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { at } = request
    const { id } = session.person
    const { timeZone, videoHosts } = request.school
    const found = await readListPage(request, 'courses', (range) =>
      enrolledCoursesOf(at, id, range),
    )
    const rows = await shownCourses(at, id, outlines, found.rows, videoHosts)
    const frame = frameFor(context, request, reply, session)
    const page = coursesPage({ ...frame, timeZone, page: { ...found, rows } })
    return sendPage(reply, request, 'site', page)
  })

  app.get(MEMBER_PATHS.bookings, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { at } = request
    const { id } = session.person
    const { timeZone } = request.school
    const now = session.readAt
    const when = queryOf(request).get('when') === 'past' ? 'past' : 'to_come'
    const read = when === 'past' ? pastMeetings : meetingsToCome
    const found = await readListPage(request, `bookings ${when}`, (range) =>
      read(at, id, { states: MEETING_STATES, now }, range),
    )
    const page = bookingsPage({
      ...frameFor(context, request, reply, session),
      ...{ timeZone, now, when, page: found },
    })
    return sendPage(reply, request, 'site', page)
  })

  app.get(MEMBER_PATHS.events, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { timeZone } = request.school
    const page = await readListPage(request, 'events', (range) =>
      registrationsOf(request.at, session.person.id, range),
    )
    const frame = frameFor(context, request, reply, session)
    const now = session.readAt
    return sendPage(reply, request, 'site', eventsPage({ ...frame, timeZone, now, page }))
  })

  app.get(MEMBER_PATHS.downloads, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { timeZone } = request.school
    const page = await readListPage(request, 'downloads', (range) =>
      productsOf(request.at, session.person.id, range),
    )
    const frame = frameFor(context, request, reply, session)
    return sendPage(reply, request, 'site', downloadsPage({ ...frame, timeZone, page }))
  })
}
