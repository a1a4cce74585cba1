import type { CourseProgress } from '../../../../domain/learning/progress.ts'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { Badge, ButtonLink } from '../../../../foundation/html/site-components.tsx'
import { CourseMeter } from '../course-meter.tsx'
import { continueWords, lecturePath } from '../lecture.tsx'
import { Row, Title } from './rows.tsx'

export interface ShownCourse {
  id: string
  slug: string
  title: string
  expiresAt: Date | null
  hasEnded: boolean
  progress: CourseProgress
  hasStarted: boolean
  /** The lecture to go on with, if one is open. */
  next: { id: string; title: string } | undefined
  /** The second of its video at which it goes on. */
  goesOnAt: number | undefined
  /** When the next locked lecture opens, if none is open now. */
  opensAt: Date | undefined
}

export function CourseRow({ course, timeZone }: { course: ShownCourse; timeZone: string }) {
  const { progress, next, hasEnded } = course
  const isDone = progress.totalLectures > 0 && progress.percent === 100
  return (
    <Row
      title={
        <>
          <a href={`/courses/${course.slug}`}>
            <Title text={course.title} fallback="A course" />
          </a>
          {isDone && <Badge tone="good">Completed</Badge>}
          {hasEnded && <Badge tone="over">Access ended</Badge>}
        </>
      }
      notes={
        <>
          {progress.totalLectures > 0 && <CourseMeter progress={progress} />}
          <p class="row-note">
            <Notes course={course} timeZone={timeZone} />
          </p>
        </>
      }
    >
      {next !== undefined && (
        <ButtonLink look="primary" href={lecturePath(course.slug, next.id)}>
          {course.hasStarted ? continueWords(course.goesOnAt) : 'Start'}
          <span class="visually-hidden"> {plainText(course.title)}</span>
        </ButtonLink>
      )}
    </Row>
  )
}

function Notes({ course, timeZone }: { course: ShownCourse; timeZone: string }) {
  const { next, opensAt, expiresAt, hasEnded, progress } = course
  const notes = [
    next !== undefined && (
      <>
        Next: <Title text={next.title} fallback="the next lecture" />
      </>
    ),
    opensAt !== undefined && (
      <>
        The next lecture opens on <Moment at={opensAt} timeZone={timeZone} />
      </>
    ),
    progress.totalLectures === 0 && 'No lectures yet',
    expiresAt !== null && (
      <>
        {hasEnded ? 'Access ended' : 'Access until'} <Moment at={expiresAt} timeZone={timeZone} />
      </>
    ),
  ].filter((note) => note !== false)
  return notes.map((note, place) => (
    <>
      {place > 0 && ' · '}
      {note}
    </>
  ))
}
