import type { EnrolledCourse } from '../../../domain/learning/enrolled-courses.ts'
import { openingOf } from '../../../domain/learning/lecture-opening.ts'
import { EMPTY_OUTLINE, type Outline } from '../../../domain/learning/outline.ts'
import {
  type CourseProgress,
  courseProgress,
  type LectureState,
  progressOf,
} from '../../../domain/learning/progress.ts'
import type { MemberContext } from '../member-context.ts'
import { once } from '../once.ts'
import type { LectureNode } from './lecture.ts'
import type { SectionNode } from './section.ts'

export interface CourseNode extends EnrolledCourse {
  readonly sections: () => Promise<SectionNode[]>
  readonly detailProgress: () => Promise<CourseProgress>
}

type Progress = ReadonlyMap<string, LectureState>

/**
 * The courses of one page know each other: whichever is first asked for its outline or progress
 * reads it for all of them, so that a page costs the same few statements however many it holds.
 */
export function courseNodes(context: MemberContext, courses: EnrolledCourse[]): CourseNode[] {
  const ids = courses.map(({ id }) => id)
  const outlines = once(() => context.outlines.load(context.at, courses))
  const progress = once(() => progressOf(context.at, context.caller.person.id, ids))
  return courses.map((course) => {
    const outline = async () => (await outlines()).get(course.id) ?? EMPTY_OUTLINE
    return {
      ...course,
      sections: async () => sectionNodes(course, await outline(), progress),
      detailProgress: async () => {
        const [{ sections, lectureCount }, done] = await Promise.all([outline(), progress()])
        const lectures = sections.flatMap((section) => section.lectures)
        const completed = lectures.filter(({ id }) => done.get(id) === 'completed')
        return courseProgress(completed.length, lectureCount)
      },
    }
  })
}

function sectionNodes(
  course: EnrolledCourse,
  { sections }: Outline,
  progress: () => Promise<Progress>,
): SectionNode[] {
  return sections.map(({ id, title, lectures }) => ({
    id,
    title,
    lectures: async () => {
      const done = await progress()
      return lectures.map(
        (lecture): LectureNode => ({
          id: lecture.id,
          title: lecture.title,
          duration: lecture.durationSeconds,
          state: done.get(lecture.id) ?? 'unread',
          ...openingOf(lecture, course, course.readAt),
        }),
      )
    },
  }))
}
