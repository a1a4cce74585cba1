import type { FastifyInstance, FastifyRequest } from 'fastify'
import { keepPosition, positionIn } from '../../../domain/learning/lecture-position.ts'
import {
  type LectureOfViewer,
  markOpened,
  noteOpened,
  openLecture,
} from '../../../domain/learning/open-lecture.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import {
  findPublicCourse,
  type PublicCourseDetails,
} from '../../../domain/learning/public-courses.ts'
import { playerOf, type VideoPlayer } from '../../../domain/learning/video-player.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { assetUrl } from '../../../foundation/html/assets.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { checkRate, createRateLimiter } from '../../../foundation/http/rate-limit.ts'
import { apiHeaders, policyWith } from '../../../foundation/http/security-headers.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { actAs, loadBrowserSession, memberOf } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { sendFile } from '../send-file.ts'
import { frameFor, withoutNul } from '../site-frame.ts'
import {
  isFollowed,
  LECTURE_SCRIPT,
  lecturePage,
  lecturePath,
  positionPath,
} from '../views/lecture.tsx'
import { isPreview, withPreviewMark } from './preview.ts'

const PATH = '/courses/:slug/lectures/:id'

const NOTICES = {
  completed: 'This lecture is completed.',
  course: 'You have completed every lecture of this course.',
  read: 'This lecture is no longer completed.',
}

/** The page of a lecture, for everyone who may open it. */
export function addLectureRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  const { files } = context

  app.get(PATH, async (request, reply) => {
    const session = await findBrowserSession(request)
    const draft = await findPreviewed(request, session)
    const userId = draft === undefined ? memberOf(session) : undefined
    const opened = await load(request, outlines, userId, draft)
    if (userId !== undefined && isVisit(request)) {
      await noteOpened(request.at, userId, opened)
    }
    const { content } = opened
    const { timeZone, videoHosts } = request.school
    const player = content?.videoUrl ? playerOf(content.videoUrl, videoHosts) : undefined
    const frame = frameFor(context, request, reply, session, NOTICES)
    const page = lecturePage({
      ...(draft === undefined ? frame : withPreviewMark(frame, true, draft)),
      isMarked: draft !== undefined,
      timeZone,
      player,
      ...opened,
    })
    const policy = policyFor(request, opened, player)
    return sendPage(reply, request, 'site', page, content === undefined ? 403 : 200, policy)
  })

  if (files !== undefined) addFileRoute(app, files, outlines)
  addPositionRoute(app, context)

  app.post(PATH, async (request, reply) => {
    const { slug, id } = placeOf(request)
    const here = lecturePath(slug, id)
    const session = await loadBrowserSession(request, here)
    const form = checkedForm(context.keyring, request, session)
    const state = form.get('state')
    if (state !== 'read' && state !== 'completed') {
      throw new RequestRefusedError(400, 'The form does not say what to do with the lecture.')
    }
    const userId = memberOf(session)
    const opened = await load(request, outlines, userId)
    if (userId === undefined || !(await markOpened(request.at, userId, opened, state))) {
      throw new RequestRefusedError(403, 'You cannot open this lecture now.')
    }
    return redirectTo(reply, request, 'site', afterMark(here, opened, state))
  })
}

/** The file of a lecture, for everyone who may open the lecture. */
function addFileRoute(app: FastifyInstance, store: FileStore, outlines: OutlineCache): void {
  app.get(`${PATH}/file`, async (request, reply) => {
    const session = await findBrowserSession(request)
    const draft = await findPreviewed(request, session)
    const userId = draft === undefined ? memberOf(session) : undefined
    const { content } = await load(request, outlines, userId, draft)
    if (content === undefined) {
      throw new RequestRefusedError(403, 'You cannot open this lecture now.')
    }
    return await sendFile(request, reply, store, content.file?.id)
  })
}

/** The script of the page sends four in a minute, and a member may have several pages open. */
const POSITIONS_PER_MINUTE = 30

/** The script of the page tells here how far the member is. */
function addPositionRoute(app: FastifyInstance, context: AppContext): void {
  const limiter = createRateLimiter({
    name: 'lecture-position',
    quota: POSITIONS_PER_MINUTE,
    windowSeconds: 60,
  })
  app.post(positionPath(PATH), async (request, reply) => {
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    const userId = memberOf(session)
    const { slug, id } = placeOf(request)
    if (session !== undefined) actAs(request, session, lecturePath(slug, id))
    if (userId !== undefined) checkRate(limiter, `${request.school.id} ${userId}`, reply)
    const seconds = positionIn(form.get('position_seconds') ?? '')
    if (seconds === undefined) {
      throw new RequestRefusedError(400, 'The form has no position that a lecture can have.')
    }
    const isKept =
      userId !== undefined &&
      (await keepPosition(request.at, userId, { slug, lectureId: id }, seconds))
    if (!isKept) throw new RequestRefusedError(403, 'You have not opened this lecture.')
    return reply.headers(apiHeaders('no-store')).code(204).send()
  })
}

/** Names the script and where it reports to, and the host of the video. */
function policyFor(
  { school: { origin } }: FastifyRequest,
  opened: LectureOfViewer,
  player: VideoPlayer | undefined,
): string {
  const { course, lecture } = opened
  const report = origin + positionPath(lecturePath(course.slug, lecture.id))
  return policyWith({
    ...(isFollowed(opened) && {
      'script-src': origin + assetUrl(LECTURE_SCRIPT),
      'connect-src': report,
    }),
    ...(player && { [player.kind === 'frame' ? 'frame-src' : 'media-src']: player.origin }),
  })
}

function placeOf(request: FastifyRequest): { readonly slug: string; readonly id: string } {
  const { slug, id } = request.params as { slug: string; id: string }
  return { slug: withoutNul(slug), id }
}

/** The course, if an operator looks at its lectures as visitors will see them. */
async function findPreviewed(
  request: FastifyRequest,
  session: BrowserSession | undefined,
): Promise<PublicCourseDetails | undefined> {
  if (!isPreview(request, session)) return undefined
  return await findPublicCourse(request.at, placeOf(request).slug, null, true)
}

async function load(
  request: FastifyRequest,
  outlines: OutlineCache,
  userId: string | undefined,
  draft?: PublicCourseDetails,
): Promise<LectureOfViewer> {
  const { slug, id } = placeOf(request)
  const opened = await openLecture(request.at, outlines, userId, { slug, lectureId: id }, draft)
  if (opened !== undefined) return opened
  throw new RequestRefusedError(404, 'This lecture does not exist, or it is no longer public.')
}

/** A page that a browser loads before a person asks for it was not opened. */
function isVisit({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers['sec-purpose'] === undefined && headers.purpose === undefined
}

/** A completed lecture leads to the next one, if that is open. */
function afterMark(
  here: string,
  { course, lecture, next }: LectureOfViewer,
  state: 'read' | 'completed',
): string {
  if (state === 'read') return `${here}?done=read`
  if (next?.isLocked === false) return lecturePath(course.slug, next.id)
  const { completedLectures = 0, totalLectures = 0 } = course.learner?.progress ?? {}
  const completed = completedLectures + (lecture.state === 'completed' ? 0 : 1)
  return `${here}?done=${completed === totalLectures ? 'course' : 'completed'}`
}
