import { readingSeconds } from '../../../domain/learning/lecture-position.ts'
import type { LectureContent, LectureOfViewer } from '../../../domain/learning/open-lecture.ts'
import type { VideoPlayer } from '../../../domain/learning/video-player.ts'
import { Address, Alert, Arrow, Button, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { Badge, ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import { CourseMeter } from './course-meter.tsx'
import { lengthInWords, momentInFilm } from './length.ts'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { sizeInWords } from './size.ts'
import { WrittenWords } from './written-text.tsx'

interface LectureProps extends SiteFrame, LectureOfViewer {
  timeZone: string
  /** Whether an operator looks at it as visitors will see it: its links lead to previews. */
  isMarked?: boolean | undefined
  /** Absent if the lecture has no video, or one of a host that the school does not name. */
  player?: VideoPlayer | undefined
}

/** Slugs are ASCII letters, digits and hyphens; what a visitor typed may be anything. */
export function lecturePath(slug: string, lectureId: string): string {
  return `/courses/${encodeURIComponent(slug)}/lectures/${encodeURIComponent(lectureId)}`
}

/** Added to links on a preview, so that they lead to previews. */
export const previewQuery = (isMarked: boolean | undefined) =>
  isMarked === true ? '?preview=1' : ''

/** The words that lead to the lecture a member goes on with. */
export function continueWords(goesOnAt: number | undefined): string {
  return goesOnAt === undefined ? 'Continue' : `Continue from ${momentInFilm(goesOnAt)}`
}

/** Where the script of the page of a lecture tells how far the member is. */
export const positionPath = (path: string) => `${path}/position`

/** It goes on where a member stopped; without it, videos that are files still do, from the last report. */
export const LECTURE_SCRIPT = 'lecture.js'

/** Whether the page notes how far the viewer is. */
export function isFollowed({ course, content }: LectureOfViewer): boolean {
  return course.learner !== undefined && content !== undefined
}

export function lecturePage(props: LectureProps): string {
  const { course, lecture, content, viewer } = props
  const title = plainText(lecture.title) || 'Untitled'
  return sitePage({
    ...props,
    title,
    script: isFollowed(props) ? LECTURE_SCRIPT : undefined,
    listed: lecture.isPreview && course.learner === undefined,
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
      // It may run its own scripts, but neither lead the person away from this page nor open another one.
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
