import { once } from '../../foundation/cache/once.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { EnrolledCourse } from './enrolled-courses.ts'
import { type Opening, openingOf } from './lecture-opening.ts'
import { EMPTY_OUTLINE, type OutlineSection } from './outline.ts'
import type { OutlineSource } from './outline-cache.ts'
import { type CourseProgress, courseProgress, type LectureState, progressOf } from './progress.ts'

/** A lecture as one member sees it now. */
export interface SyllabusLecture extends Opening {
  readonly id: string
  readonly title: string
  readonly durationSeconds: number
  readonly state: LectureState
  readonly sectionTitle: string
}

export interface SyllabusSection {
  readonly id: string
  readonly title: string
  readonly lectureCount: number
  readonly lectures: () => Promise<SyllabusLecture[]>
}

/** A member's course, with a syllabus that is read when a part of it is first asked for. */
export interface CourseWithSyllabus extends EnrolledCourse {
  readonly sectionCount: () => Promise<number>
  readonly sections: () => Promise<SyllabusSection[]>
  /** The lectures of all sections, in the order of the curriculum. */
  readonly lectures: () => Promise<SyllabusLecture[]>
  readonly progress: () => Promise<CourseProgress>
}

/**
 * Adds the syllabus to the courses of one page. The first course that is asked for its outline or
 * its progress reads it for all of them: two statements at most, however many courses there are.
 */
export function withSyllabus(
  at: SchoolDb,
  userId: string,
  source: OutlineSource,
  courses: readonly EnrolledCourse[],
): CourseWithSyllabus[] {
  const outlines = once(() => source.load(at, courses))
  const states = once(() =>
    progressOf(
      at,
      userId,
      courses.map(({ id }) => id),
    ),
  )
  return courses.map((course) => {
    const outline = async () => (await outlines()).get(course.id) ?? EMPTY_OUTLINE
    return {
      ...course,
      sectionCount: async () => (await outline()).sections.length,
      sections: async () =>
        (await outline()).sections.map((section) => ({
          id: section.id,
          title: section.title,
          lectureCount: section.lectures.length,
          lectures: async () => lecturesOf(course, section, await states()),
        })),
      lectures: async () => {
        // The outline first: it says whether there is too much to read.
        const { sections } = await outline()
        const known = await states()
        return sections.flatMap((section) => lecturesOf(course, section, known))
      },
      progress: async () => {
        const { sections, lectureCount } = await outline()
        const known = await states()
        const lectures = sections.flatMap((section) => section.lectures)
        const completed = lectures.filter(({ id }) => known.get(id) === 'completed')
        return courseProgress(completed.length, lectureCount)
      },
    }
  })
}

function lecturesOf(
  course: EnrolledCourse,
  section: OutlineSection,
  states: ReadonlyMap<string, LectureState>,
): SyllabusLecture[] {
  return section.lectures.map((lecture) => ({
    id: lecture.id,
    title: lecture.title,
    durationSeconds: lecture.durationSeconds,
    state: states.get(lecture.id) ?? 'unread',
    sectionTitle: section.title,
    ...openingOf(lecture, course, course.readAt),
  }))
}
