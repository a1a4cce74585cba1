import type { EnrolledCourse } from '../../../domain/learning/enrolled-courses.ts'
import { goesOnAt } from '../../../domain/learning/goes-on-at.ts'
import type { OutlineSource } from '../../../domain/learning/outline.ts'
import { nextLecture } from '../../../domain/learning/progress.ts'
import { type SyllabusLecture, SyllabusReader } from '../../../domain/learning/syllabus.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { ShownCourse } from '../views/member/course-row.tsx'

/** Courses of a member with their progress and the lecture to go on with. */
export async function shownCourses(
  at: SchoolDb,
  userId: string,
  outlines: OutlineSource,
  courses: readonly EnrolledCourse[],
  videoHosts: readonly string[],
): Promise<ShownCourse[]> {
  const reader = new SyllabusReader(at, userId, outlines)
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
