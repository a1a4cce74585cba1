import type { EnrolledCourse } from '../../../domain/learning/enrolled-courses.ts'
import { openingOf } from '../../../domain/learning/lecture-opening.ts'
import { EMPTY_OUTLINE } from '../../../domain/learning/outline.ts'
import { courseProgress, type LectureState, progressOf } from '../../../domain/learning/progress.ts'
import type { SignedInCall } from '../tool.ts'

export interface LectureView {
  readonly id: string
  readonly title: string
  readonly duration: number
  readonly state: LectureState
  readonly isLocked: boolean
  readonly unlockAt: Date | null
}

/** A course with everything that the member did in it. */
export interface EnrolledView {
  readonly course: EnrolledCourse
  readonly sections: readonly { readonly title: string; readonly lectures: LectureView[] }[]
  readonly lectures: readonly LectureView[]
  readonly progress: ReturnType<typeof courseProgress>
}

/** Outlines and progress of all these courses, in two statements at most. */
export async function viewEnrolled(
  { at, caller, outlines }: SignedInCall,
  courses: readonly EnrolledCourse[],
): Promise<EnrolledView[]> {
  const ids = courses.map(({ id }) => id)
  const [known, done] = await Promise.all([
    outlines.load(at, courses),
    progressOf(at, caller.person.id, ids),
  ])
  return courses.map((course) => {
    const outline = known.get(course.id) ?? EMPTY_OUTLINE
    const sections = outline.sections.map(({ title, lectures }) => ({
      title,
      lectures: lectures.map(
        (lecture): LectureView => ({
          id: lecture.id,
          title: lecture.title,
          duration: lecture.durationSeconds,
          state: done.get(lecture.id) ?? 'unread',
          ...openingOf(lecture, course, course.readAt),
        }),
      ),
    }))
    const lectures = sections.flatMap((section) => section.lectures)
    const completed = lectures.filter(({ state }) => state === 'completed').length
    const progress = courseProgress(completed, lectures.length)
    return { course, sections, lectures, progress }
  })
}
