import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import { isPicture } from '../../../domain/content/file-operations.ts'
import { goesOnAt } from '../../../domain/learning/goes-on-at.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { nextLecture } from '../../../domain/learning/progress.ts'
import {
  findPublicCourse,
  type PublicCourseDetails,
} from '../../../domain/learning/public-courses.ts'
import type { SyllabusLecture } from '../../../domain/learning/syllabus.ts'
import { type ViewedCourse, viewCourse } from '../../../domain/learning/viewed-course.ts'
import { Facts } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage, slugOf } from '../frame/layout.tsx'
import { beginningOf, CourseMeter, WrittenText } from '../frame/parts.tsx'
import { lecturePath, MEMBER_PATHS } from '../frame/paths.ts'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { visitOf } from '../frame/visit.ts'
import { continueWords, formatMoney, lengthInWords } from '../frame/words.ts'
import { previewQuery } from './lectures.tsx'
import { toList } from './lists.tsx'
import { HowToGet } from './offers.tsx'
import { isPreview, withPreviewMark } from './writing.tsx'

/** The page of a course: for everybody while it is public, and for its students. */
export function addCourseRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  app.get('/courses/:slug', async (request, reply) => {
    const { schoolDb: db } = request
    const slug = slugOf(request)
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const userId = visit.memberId
    const isMarked = isPreview(request, session)
    const details = await findPublicCourse(db, slug, userId, isMarked)
    // A preview is what a visitor will see, also if the operator is a student of the course.
    const viewer = isMarked ? undefined : userId
    const viewed = details && (await viewCourse(db, outlines, viewer, slug, details))
    if (details === undefined || viewed === undefined) {
      throw new RequestRefusedError(404, 'This course does not exist, or it is no longer public.')
    }
    const { cover } = details
    const page = coursePage({
      ...withPreviewMark(visit.frame(), isMarked, details),
      timeZone: request.school.timeZone,
      contactEmail: request.school.contactEmail,
      videoHosts: request.school.videoHosts,
      details,
      coverUrl: cover && isPicture(cover.contentType) ? `/files/${cover.fileId}` : undefined,
      viewed,
    })
    return visit.page(page)
  })
}

interface CourseProps extends SiteFrame {
  contactEmail?: string | undefined
  timeZone: string
  details: PublicCourseDetails
  /** A picture; absent without a cover. */
  coverUrl?: string | undefined
  viewed: ViewedCourse
  videoHosts: readonly string[]
}

const TO_OWN = { url: MEMBER_PATHS.courses, label: 'Your courses' }

/**
 * A longer curriculum starts with its sections closed, but for the one in which the viewer
 * continues.
 */
const MOST_LECTURES_SHOWN = 60

export function coursePage(props: CourseProps): string {
  const { details, viewed, coverUrl } = props
  const title = plainText(details.title) || 'Untitled'
  const lectures = viewed.sections.flatMap((section) => section.lectures)
  const { learner } = viewed
  const next = nextLecture(lectures, learner?.enrollment.lastWatched?.lectureId)
  return sitePage({
    ...props,
    title,
    listed: learner === undefined && {
      path: `/courses/${details.slug}`,
      description:
        details.summary || beginningOf({ text: details.description, html: details.html }),
      imageUrl: coverUrl,
    },
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={learner === undefined ? toList(PUBLIC_LISTS.courses) : TO_OWN}
          lead={plainText(details.summary, 1000) || undefined}
        />
        {coverUrl !== undefined && <img class="cover" src={coverUrl} alt="" />}
        <section class="panel" aria-label="About this course">
          {learner !== undefined && <CourseMeter progress={learner.progress} />}
          <CourseFacts {...props} lectures={lectures} />
          {next !== undefined && <Start {...props} next={next} />}
          {learner === undefined && <HowToGet {...props} act="enroll" />}
        </section>
        <WrittenText school={props.school} text={details.description} html={details.html} />
        {lectures.length > 0 && <Curriculum {...props} lectures={lectures} next={next} />}
        {details.lecturers.length > 0 && <Lecturers {...details} />}
      </>
    ),
  })
}

interface WithLectures extends CourseProps {
  lectures: readonly SyllabusLecture[]
}

function CourseFacts({ details, viewed, lectures, timeZone }: WithLectures) {
  const seconds = lectures.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
  const length = lengthInWords(seconds)
  const facts: [string, ComponentChildren][] = []
  const { learner } = viewed
  if (learner === undefined) {
    facts.push(['Price', formatMoney(details.priceAmount, details.currency)])
  } else {
    const { expiresAt, readAt } = learner.enrollment
    const ended = expiresAt !== null && expiresAt <= readAt
    facts.push([
      ended ? 'Your access ended' : 'Your access ends',
      expiresAt === null ? 'Never' : <Moment at={expiresAt} timeZone={timeZone} />,
    ])
  }
  if (lectures.length > 0) facts.push(['Lectures', String(lectures.length)])
  if (length !== undefined) facts.push(['Length', length])
  return <Facts look="facts facts-short" rows={facts} />
}

/** The one thing to do next: to continue, or to look at a free lecture. */
function Start({ viewed, next, videoHosts, isMarked }: CourseProps & { next: SyllabusLecture }) {
  const { learner } = viewed
  const words =
    learner === undefined
      ? 'Open a free lecture'
      : learner.enrollment.lastWatched === null && learner.progress.completedLectures === 0
        ? 'Start'
        : continueWords(goesOnAt(learner.enrollment, next, videoHosts))
  return (
    <div class="actions">
      <ButtonLink look="primary" href={lecturePath(viewed.slug, next.id) + previewQuery(isMarked)}>
        {words}
      </ButtonLink>
      <p class="row-note">
        <bdi>{plainText(next.title)}</bdi>
      </p>
    </div>
  )
}

function Curriculum(props: WithLectures & { next: SyllabusLecture | undefined }) {
  const { viewed, lectures, next } = props
  const isShort = lectures.length <= MOST_LECTURES_SHOWN
  return (
    <Panel title="Curriculum">
      <div class="chapters">
        {viewed.sections.map((section) => (
          <details
            open={isShort || section.lectures.some(({ id }) => id === (next ?? lectures[0])?.id)}
          >
            <summary>
              <bdi>{plainText(section.title) || 'Untitled'}</bdi>
              <span class="row-note">{` ${numberOf(section.lectures.length)}`}</span>
            </summary>
            <ol class="lectures">
              {section.lectures.map((lecture) => (
                <Lecture {...props} lecture={lecture} />
              ))}
            </ol>
          </details>
        ))}
      </div>
    </Panel>
  )
}

const numberOf = (lectures: number) => (lectures === 1 ? '1 lecture' : `${lectures} lectures`)

function Lecture(props: CourseProps & { lecture: SyllabusLecture }) {
  const { viewed, lecture, timeZone } = props
  const url = lecturePath(viewed.slug, lecture.id) + previewQuery(props.isMarked)
  const title = <bdi>{plainText(lecture.title) || 'Untitled'}</bdi>
  const isLearner = viewed.learner !== undefined
  const length = lengthInWords(lecture.durationSeconds)
  return (
    <li>
      <span class="lecture-title">
        {lecture.isLocked ? title : <a href={url}>{title}</a>}
        {!isLearner && lecture.isPreview && <Badge tone="good">Free</Badge>}
        {isLearner && lecture.state === 'completed' && <Badge tone="good">Completed</Badge>}
        {isLearner && lecture.state === 'read' && <Badge tone="waiting">Started</Badge>}
      </span>
      <span class="row-note">
        {lecture.unlockAt === null ? (
          length
        ) : (
          <>
            Opens <Moment at={lecture.unlockAt} timeZone={timeZone} />
          </>
        )}
      </span>
    </li>
  )
}

function Lecturers({ lecturers }: PublicCourseDetails) {
  return (
    <Panel title={lecturers.length === 1 ? 'Lecturer' : 'Lecturers'}>
      <ul class="rows">
        {lecturers.map(({ name, headline }) => (
          <li>
            <div>
              <h3 dir="auto">{plainText(name) || 'A lecturer'}</h3>
              {headline !== '' && (
                <p class="row-note" dir="auto">
                  {plainText(headline)}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
