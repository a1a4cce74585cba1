import type { FastifyInstance } from 'fastify'
import { isPicture } from '../../../domain/content/file-operations.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { findPublicCourse } from '../../../domain/learning/public-courses.ts'
import { viewCourse } from '../../../domain/learning/viewed-course.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { memberOf } from '../browser-session.ts'
import { sendPage } from '../page-request.ts'
import { frameFor, slugOf } from '../site-frame.ts'
import { coursePage } from '../views/course.tsx'
import { isPreview, withPreviewMark } from './preview.ts'

/** The page of a course: for everybody while it is public, and for its students. */
export function addCourseRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  app.get('/courses/:slug', async (request, reply) => {
    const { at } = request
    const slug = slugOf(request)
    const session = await findBrowserSession(request)
    const userId = memberOf(session)
    const isMarked = isPreview(request, session)
    const details = await findPublicCourse(at, slug, userId, isMarked)
    // A preview is what a visitor will see, also if the operator is a student of the course.
    const viewer = isMarked ? undefined : userId
    const viewed = details && (await viewCourse(at, outlines, viewer, slug, details))
    if (details === undefined || viewed === undefined) {
      throw new RequestRefusedError(404, 'This course does not exist, or it is no longer public.')
    }
    const { cover } = details
    const page = coursePage({
      ...withPreviewMark(frameFor(context, request, reply, session), isMarked, details),
      timeZone: request.school.timeZone,
      contactEmail: request.school.contactEmail,
      videoHosts: request.school.videoHosts,
      details,
      coverUrl: cover && isPicture(cover.contentType) ? `/files/${cover.fileId}` : undefined,
      viewed,
      isMarked,
    })
    return sendPage(reply, request, 'site', page)
  })
}
