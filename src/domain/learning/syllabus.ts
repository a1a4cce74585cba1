import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { EnrolledCourse } from './enrolled-courses.ts'
import {
  EMPTY_OUTLINE,
  type Outline,
  type OutlineLecture,
  type OutlineSection,
  type OutlineSource,
} from './outline.ts'
import { type CourseProgress, courseProgress, type LectureState, progressOf } from './progress.ts'

/** A lecture as one member sees it now. */
export interface SyllabusLecture extends Opening {
  readonly id: string
  readonly title: string
  readonly durationSeconds: number
  readonly state: LectureState
  readonly isPreview: boolean
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

type States = Awaited<ReturnType<typeof progressOf>>

/**
 * Reads the syllabuses of one member for one request. Each course is read once, however often and
 * in however many lists the request asks for it; the first course of a page that is asked for reads
 * for the whole page.
 */
export class SyllabusReader {
  readonly #db: SchoolDb
  readonly #userId: string
  readonly #source: OutlineSource
  readonly #outlines = new Map<string, Promise<Map<string, Outline>>>()
  readonly #states = new Map<string, Promise<States>>()
  readonly #progress = new Map<string, Promise<CourseProgress>>()

  constructor(db: SchoolDb, userId: string, source: OutlineSource) {
    this.#db = db
    this.#userId = userId
    this.#source = source
  }

  /**
   * Adds the syllabus to the courses of one page: two statements at most, when a part of one is
   * first asked for.
   */
  withSyllabus(courses: readonly EnrolledCourse[]): CourseWithSyllabus[] {
    const states = (course: EnrolledCourse) =>
      read(this.#states, course, courses, (missing) =>
        progressOf(
          this.#db,
          this.#userId,
          missing.map(({ id }) => id),
        ),
      )
    const outlineOf = async (course: EnrolledCourse): Promise<Outline> => {
      const load = (missing: readonly EnrolledCourse[]) => this.#source.load(this.#db, missing)
      return (await read(this.#outlines, course, courses, load)).get(course.id) ?? EMPTY_OUTLINE
    }
    const progress = async (course: EnrolledCourse): Promise<CourseProgress> =>
      progressIn(await outlineOf(course), await states(course))
    return courses.map((course) => ({
      sectionCount: async () => (await outlineOf(course)).sections.length,
      sections: async () =>
        (await outlineOf(course)).sections.map((section) => ({
          id: section.id,
          title: section.title,
          lectureCount: section.lectures.length,
          lectures: async () => lecturesOf(course, section, await states(course)),
        })),
      lectures: async () => {
        // The outline first: it says whether there is too much to read.
        const { sections } = await outlineOf(course)
        const known = await states(course)
        return sections.flatMap((section) => lecturesOf(course, section, known))
      },
      progress: () => {
        const known = this.#progress.get(course.id) ?? progress(course)
        this.#progress.set(course.id, known)
        return known
      },
      ...course,
    }))
  }
}

/**
 * What was read for a course, or is read now together with the other courses of its page that lack
 * it.
 */
function read<V>(
  known: Map<string, Promise<V>>,
  course: EnrolledCourse,
  page: readonly EnrolledCourse[],
  load: (missing: readonly EnrolledCourse[]) => Promise<V>,
): Promise<V> {
  const found = known.get(course.id)
  if (found !== undefined) return found
  const missing = page.filter(({ id }) => !known.has(id))
  const loading = load(missing)
  for (const { id } of missing) known.set(id, loading)
  return loading
}

function progressIn({ sections, lectureCount }: Outline, states: States): CourseProgress {
  let completed = 0
  for (const { lectures } of sections) {
    for (const { id } of lectures) if (states.get(id) === 'completed') completed += 1
  }
  return courseProgress(completed, lectureCount)
}

/**
 * The lectures of a section as a viewer sees them: the member of this enrollment, or anyone without
 * one.
 */
export function lecturesOf(
  enrolled: EnrolledCourse | undefined,
  section: OutlineSection,
  states: ReadonlyMap<string, LectureState> = new Map(),
): SyllabusLecture[] {
  const now = enrolled?.readAt ?? new Date()
  return section.lectures.map((lecture) => ({
    id: lecture.id,
    title: lecture.title,
    durationSeconds: lecture.durationSeconds,
    state: states.get(lecture.id) ?? 'unread',
    sectionTitle: section.title,
    isPreview: lecture.isPreview,
    ...openingOf(lecture, enrolled, now),
  }))
}

const DAY_MS = 86_400_000

export interface Access {
  readonly enrolledAt: Date
  readonly expiresAt: Date | null
}

interface Opening {
  readonly isLocked: boolean
  /** When a locked lecture opens; null if it is open, or if it will never open. */
  readonly unlockAt: Date | null
}

const OPEN: Opening = { isLocked: false, unlockAt: null }
const SHUT: Opening = { isLocked: true, unlockAt: null }

/**
 * Whether a viewer can open a lecture now. Previews are always open; without access, or after its
 * end, nothing else is. Other lectures open at their own date, or some days after the enrollment. A
 * date after the end of access counts as never.
 */
export function openingOf(
  lecture: Pick<OutlineLecture, 'isPreview' | 'unlockAfterDays' | 'unlockAt'>,
  access: Access | undefined,
  now: Date,
): Opening {
  if (lecture.isPreview) return OPEN
  if (access === undefined) return SHUT
  const { enrolledAt, expiresAt } = access
  if (expiresAt !== null && expiresAt <= now) return SHUT
  const opensAt =
    lecture.unlockAfterDays === null
      ? lecture.unlockAt
      : new Date(enrolledAt.getTime() + lecture.unlockAfterDays * DAY_MS)
  if (opensAt === null || opensAt <= now) return OPEN
  if (expiresAt !== null && expiresAt <= opensAt) return SHUT
  return { isLocked: true, unlockAt: opensAt }
}
