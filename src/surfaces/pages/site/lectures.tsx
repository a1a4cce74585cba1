import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  keepPosition,
  positionIn,
  readingSeconds,
} from '../../../domain/learning/lecture-position.ts'
import {
  type LectureContent,
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
import { Address, Alert, Arrow, Button, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { checkRate, createRateLimiter } from '../../../foundation/http/rate-limit.ts'
import { apiHeaders, policyWith } from '../../../foundation/http/security-headers.ts'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendFile } from '../frame/files.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { beginningOf, CourseMeter, WrittenWords } from '../frame/parts.tsx'
import { lecturePath } from '../frame/paths.ts'
import { actAs } from '../frame/session.ts'
import { signedInVisit, type Visit, visitOf } from '../frame/visit.ts'
import { lengthInWords, momentInFilm, sizeInWords } from '../frame/words.ts'
import {
  addDiscussionRoutes,
  DISCUSSION_NOTICES,
  discussionFor,
  openAsMember,
  placeOf,
} from './discussion.tsx'
import { type Discussion, DiscussionPanel } from './discussion-view.tsx'
import { isPreview, withPreviewMark } from './writing.tsx'

interface LectureProps extends SiteFrame, LectureOfViewer {
  timeZone: string
  /** Absent for a viewer who takes no part in it. */
  discussion?: Discussion | undefined
  /** Absent if the lecture has no video, or one of a host that the school does not name. */
  player?: VideoPlayer | undefined
}

/** Added to links on a preview, so that they lead to previews. */
export const previewQuery = (isMarked: boolean | undefined) =>
  isMarked === true ? '?preview=1' : ''

/** Where the script of the page of a lecture tells how far the member is. */
const positionPath = (path: string) => `${path}/position`

/**
 * It goes on where a member stopped; without it, videos that are files still do, from the last
 * report.
 */
const LECTURE_SCRIPT = 'lecture.js'

/** Whether the page notes how far the viewer is. */
function isFollowed({ course, content }: LectureOfViewer): boolean {
  return course.learner !== undefined && content !== undefined
}

export function lecturePage(props: LectureProps): string {
  const { course, lecture, content, viewer } = props
  const title = plainText(lecture.title) || 'Untitled'
  return sitePage({
    ...props,
    title,
    script: isFollowed(props) ? LECTURE_SCRIPT : undefined,
    listed: lecture.isPreview &&
      course.learner === undefined && {
        path: lecturePath(course.slug, lecture.id),
        description: content && beginningOf({ text: content.body, html: content.html }),
      },
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={{ url: coursePath(props), label: course.title || 'Course' }}
          lead={plainText(lecture.sectionTitle)}
        />
        <article class="panel" {...reports(props)}>
          <Facts {...props} />
          {content === undefined ? (
            <Locked {...props} />
          ) : (
            <Content {...props} {...content} title={title} />
          )}
        </article>
        {isFollowed(props) && viewer !== undefined && (
          <Mark {...props} formToken={viewer.formToken} />
        )}
        {props.discussion !== undefined && viewer !== undefined && (
          <DiscussionPanel
            discussion={props.discussion}
            path={lecturePath(course.slug, lecture.id)}
            formToken={viewer.formToken}
            timeZone={props.timeZone}
          />
        )}
        <Neighbours {...props} />
      </>
    ),
  })
}

const coursePath = ({ course, isMarked }: LectureProps) =>
  `/courses/${course.slug}${previewQuery(isMarked)}`

/** For the script. */
function reports(props: LectureProps): Record<string, string | number> {
  const { course, lecture, content } = props
  if (content === undefined || !isFollowed(props)) return {}
  return {
    'data-position-url': positionPath(lecturePath(course.slug, lecture.id)),
    'data-position': content.positionSeconds,
    'data-length': readingSeconds(lecture.durationSeconds, content.body),
  }
}

const STATES = { unread: undefined, read: undefined, completed: 'Completed' } as const

function Facts({ lecture, number, lectureCount, course }: LectureProps) {
  const length = lengthInWords(lecture.durationSeconds)
  const state = course.learner === undefined ? undefined : STATES[lecture.state]
  return (
    <p class="row-title">
      <span class="row-note">
        {`Lecture ${number} of ${lectureCount}`}
        {length !== undefined && ` · ${length}`}
      </span>
      {lecture.isPreview && course.learner === undefined && <Badge tone="good">Free</Badge>}
      {state !== undefined && <Badge tone="good">{state}</Badge>}
    </p>
  )
}

type ContentProps = LectureProps & LectureContent & { title: string }

function Content(props: ContentProps) {
  const { body, html, videoUrl, file } = props
  return (
    <>
      {videoUrl !== null && <Video {...props} videoUrl={videoUrl} />}
      {file !== null && <Download {...props} file={file} />}
      {isFollowed(props) && (
        <div data-go-on hidden>
          <button type="button" class="button button-plain">
            Go on where you stopped
          </button>
        </div>
      )}
      <WrittenWords school={props.school} text={body} html={html} />
      {body.trim() === '' && videoUrl === null && file === null && (
        <p class="row-note">There is nothing in this lecture yet.</p>
      )}
    </>
  )
}

function Video({ player, videoUrl, positionSeconds, title }: ContentProps & { videoUrl: string }) {
  if (player?.kind === 'file') {
    // The address may name a start of its own.
    const [film] = player.url.split('#')
    const src = positionSeconds > 0 ? `${film}#t=${positionSeconds}` : player.url
    return (
      <>
        {/* biome-ignore lint/a11y/useMediaCaption: the address is all that we know of the video */}
        <video class="video" controls preload="metadata" src={src} />
        {positionSeconds > 0 && (
          <p class="row-note">{`Goes on at ${momentInFilm(positionSeconds)}, where you stopped.`}</p>
        )}
      </>
    )
  }
  if (player !== undefined) {
    return (
      // It may run its own scripts, but neither lead the person away from this page nor open
      // another one.
      <iframe
        class="video"
        src={player.url}
        title={title}
        sandbox="allow-scripts allow-same-origin allow-presentation"
        allow="fullscreen; picture-in-picture; encrypted-media"
        referrerpolicy="strict-origin-when-cross-origin"
        loading="lazy"
      />
    )
  }
  return (
    <p>
      <a href={videoUrl} rel="noopener noreferrer" target="_blank">
        Watch the video
      </a>{' '}
      <span class="row-note">
        at <Address text={hostOf(videoUrl)} />
      </span>
    </p>
  )
}

const hostOf = (address: string) => parseUrl(address)?.host ?? address

function Download({
  course,
  lecture,
  file,
  isMarked,
}: ContentProps & { file: { name: string; sizeBytes: number } }) {
  return (
    <div class="actions">
      <ButtonLink
        look="primary"
        href={`${lecturePath(course.slug, lecture.id)}/file${previewQuery(isMarked)}`}
      >
        Download
      </ButtonLink>
      <p class="row-note">
        <bdi>{plainText(file.name, 255)}</bdi>
        {` · ${sizeInWords(file.sizeBytes)}`}
      </p>
    </div>
  )
}

function Locked(props: LectureProps) {
  const { course, lecture, viewer, here, timeZone } = props
  if (course.learner === undefined) {
    return (
      <>
        <Alert tone="warning" title="This lecture is for students of the course." />
        <div class="actions">
          <ButtonLink look="primary" href={coursePath(props)}>
            About the course
          </ButtonLink>
          {viewer === undefined && (
            <ButtonLink look="plain" href={`/sign-in?return_to=${encodeURIComponent(here)}`}>
              Sign in
            </ButtonLink>
          )}
        </div>
      </>
    )
  }
  if (lecture.unlockAt !== null) {
    return (
      <Alert tone="warning" title="This lecture is not open yet.">
        <p>
          It opens on <Moment at={lecture.unlockAt} timeZone={timeZone} />.
        </p>
      </Alert>
    )
  }
  const { expiresAt, readAt } = course.learner.enrollment
  return (
    <Alert tone="warning" title="You cannot open this lecture.">
      {expiresAt !== null && expiresAt <= readAt ? (
        <p>
          Your access to the course ended on <Moment at={expiresAt} timeZone={timeZone} />.
        </p>
      ) : (
        <p>Your access to the course ends before it opens.</p>
      )}
    </Alert>
  )
}

function Mark(props: LectureProps & { formToken: string }) {
  const { course, lecture, next, formToken } = props
  const isDone = lecture.state === 'completed'
  return (
    <section class="panel" aria-label="Your progress">
      {course.learner !== undefined && <CourseMeter progress={course.learner.progress} />}
      <Form
        action={lecturePath(course.slug, lecture.id)}
        formToken={formToken}
        hidden={{ state: isDone ? 'read' : 'completed' }}
      >
        <Button look={isDone ? 'plain' : 'primary'}>
          {isDone
            ? 'Mark as not completed'
            : next?.isLocked === false
              ? 'Complete and continue'
              : 'Mark as completed'}
        </Button>
      </Form>
    </section>
  )
}

function Neighbours({ course, previous, next, isMarked }: LectureProps) {
  if (previous === undefined && next === undefined) return null
  const link = (lecture: LectureProps['lecture'] | undefined, to: 'back' | 'next') =>
    lecture !== undefined && (
      <a
        class={to === 'back' ? 'neighbour' : 'neighbour neighbour-next'}
        href={lecturePath(course.slug, lecture.id) + previewQuery(isMarked)}
      >
        <span class="row-note">
          {to === 'back' && <Arrow to="back" />}
          {to === 'back' ? 'Previous' : 'Next'}
          {to === 'next' && <Arrow to="next" />}
        </span>
        <bdi>{plainText(lecture.title) || 'Untitled'}</bdi>
      </a>
    )
  return (
    <nav class="neighbours" aria-label="Lectures">
      {link(previous, 'back')}
      {link(next, 'next')}
    </nav>
  )
}

const PATH = '/courses/:slug/lectures/:id'

const NOTICES = {
  completed: 'This lecture is completed.',
  course: 'You have completed every lecture of this course.',
  read: 'This lecture is no longer completed.',
  ...DISCUSSION_NOTICES,
}

/** The page of a lecture, for everyone who may open it. */
export function addLectureRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  const { files } = context

  app.get(PATH, async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const draft = await findPreviewed(request, session)
    const userId = draft === undefined ? visit.memberId : undefined
    const opened =
      userId === undefined
        ? await load(request, outlines, userId, draft)
        : await loadAsMember(visit, outlines)
    if (userId !== undefined && isVisit(request)) {
      await noteOpened(request.schoolDb, userId, opened)
    }
    const { content } = opened
    const { timeZone, videoHosts } = request.school
    const discussion = draft === undefined ? await discussionFor(visit, opened) : undefined
    const player = content?.videoUrl ? playerOf(content.videoUrl, videoHosts) : undefined
    const frame = visit.frame(NOTICES)
    const page = lecturePage({
      ...(draft === undefined ? frame : withPreviewMark(frame, true, draft)),
      timeZone,
      player,
      discussion,
      ...opened,
    })
    const policy = policyFor(request, opened, player)
    const isShut = content === undefined && discussion === undefined
    return visit.page(page, isShut ? 403 : 200, 'site', policy)
  })

  if (files !== undefined) addFileRoute(app, context, files, outlines)
  addPositionRoute(app, context)
  addDiscussionRoutes(app, context, outlines)

  app.post(PATH, async (request, reply) => {
    const { slug, lectureId } = placeOf(request)
    const here = lecturePath(slug, lectureId)
    const visit = await signedInVisit(context, request, reply, here)
    const form = visit.form()
    const state = form.get('state')
    if (state !== 'read' && state !== 'completed') {
      throw new RequestRefusedError(400, 'The form does not say what to do with the lecture.')
    }
    const userId = visit.memberId
    const opened = await load(request, outlines, userId)
    if (userId === undefined || !(await markOpened(request.schoolDb, userId, opened, state))) {
      throw new RequestRefusedError(403, 'You cannot open this lecture now.')
    }
    return visit.goTo(afterMark(here, opened, state))
  })
}

/** The file of a lecture, for everyone who may open the lecture. */
function addFileRoute(
  app: FastifyInstance,
  context: AppContext,
  store: FileStore,
  outlines: OutlineCache,
): void {
  app.get(`${PATH}/file`, async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const draft = await findPreviewed(request, session)
    const userId = draft === undefined ? visit.memberId : undefined
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
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = visit.form()
    const userId = visit.memberId
    const place = placeOf(request)
    if (session !== undefined) {
      actAs(request, session, lecturePath(place.slug, place.lectureId))
    }
    if (userId !== undefined) checkRate(limiter, `${request.school.id} ${userId}`, reply)
    const seconds = positionIn(form.get('position_seconds') ?? '')
    if (seconds === undefined) {
      throw new RequestRefusedError(400, 'The form has no position that a lecture can have.')
    }
    const isKept =
      userId !== undefined && (await keepPosition(request.schoolDb, userId, place, seconds))
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

/** The course, if an operator looks at its lectures as visitors will see them. */
async function findPreviewed(
  request: FastifyRequest,
  session: BrowserSession | undefined,
): Promise<PublicCourseDetails | undefined> {
  if (!isPreview(request, session)) return undefined
  return await findPublicCourse(request.schoolDb, placeOf(request).slug, null, true)
}

async function load(
  request: FastifyRequest,
  outlines: OutlineCache,
  userId: string | undefined,
  draft?: PublicCourseDetails,
): Promise<LectureOfViewer> {
  return found(await openLecture(request.schoolDb, outlines, userId, placeOf(request), draft))
}

const loadAsMember = async (visit: Visit, outlines: OutlineCache) =>
  found(await openAsMember(visit, outlines))

function found(opened: LectureOfViewer | undefined): LectureOfViewer {
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
