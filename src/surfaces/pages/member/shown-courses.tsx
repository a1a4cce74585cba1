import type { EnrolledCourse } from '../../../domain/learning/enrolled-courses.ts'
import { goesOnAt } from '../../../domain/learning/goes-on-at.ts'
import type { OutlineSource } from '../../../domain/learning/outline.ts'
import { type CourseProgress, nextLecture } from '../../../domain/learning/progress.ts'
import { type SyllabusLecture, SyllabusReader } from '../../../domain/learning/syllabus.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, ButtonLink } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { CourseMeter } from '../frame/parts.tsx'
import { lecturePath } from '../frame/paths.ts'
import { continueWords } from '../frame/words.ts'
import { Row, Title } from './rows.tsx'

/** Courses of a member with their progress and the lecture to go on with. */
export async function shownCourses(
  db: SchoolDb,
  userId: string,
  outlines: OutlineSource,
  courses: readonly EnrolledCourse[],
  videoHosts: readonly string[],
): Promise<ShownCourse[]> {
  const reader = new SyllabusReader(db, userId, outlines)
  return await Promise.all(
    reader.withSyllabus(courses).map(async (course) => {
      const lectures = await course.lectures()
      const next = nextLecture(lectures, course.lastWatched?.lectureId)
      const progress = await course.progress()
      return {
        id: course.id,
        slug: course.slug,
        title: course.title,
        expiresAt: course.expiresAt,
        hasEnded: course.expiresAt !== null && course.expiresAt <= course.readAt,
        progress,
        hasStarted: course.lastWatched !== null || progress.completedLectures > 0,
        next,
        goesOnAt: next && goesOnAt(course, next, videoHosts),
        opensAt: next === undefined ? firstOpening(lectures) : undefined,
      }
    }),
  )
}

function firstOpening(lectures: readonly SyllabusLecture[]): Date | undefined {
  const times = lectures.flatMap(({ unlockAt }) => (unlockAt === null ? [] : [unlockAt.getTime()]))
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}

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
