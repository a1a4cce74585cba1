import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type EnrolledCourse, findEnrolledCourse } from './enrolled-courses.ts'
import { EMPTY_OUTLINE, type OutlineKey, type OutlineSource } from './outline.ts'
import type { CourseProgress } from './progress.ts'
import { findPublicCourseHead, type PublicCourseHead } from './public-courses.ts'
import { lecturesOf, type SyllabusLecture, SyllabusReader } from './syllabus.ts'

interface ViewedSection {
  readonly id: string
  readonly title: string
  readonly lectures: readonly SyllabusLecture[]
}

/** A course with its curriculum as one viewer sees it now. */
export interface ViewedCourse {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly sections: readonly ViewedSection[]
  /** Absent for a viewer who is not enrolled. */
  readonly learner?: { readonly enrollment: EnrolledCourse; readonly progress: CourseProgress }
}

/**
 * For a member who is enrolled, even if the course is no longer public, and for everybody while it
 * is. `known` is the public course, if the caller has read it already.
 */
export async function viewCourse(
  db: SchoolDb,
  outlines: OutlineSource,
  userId: string | undefined,
  slug: string,
  known?: PublicCourseHead,
): Promise<ViewedCourse | undefined> {
  const enrollment = userId === undefined ? undefined : await findEnrolledCourse(db, userId, slug)
  if (userId !== undefined && enrollment !== undefined) {
    return await viewAsMember(db, outlines, userId, enrollment)
  }
  const course = known ?? (await findPublicCourseHead(db, slug))
  return course && { ...headOf(course), sections: await publicSections(db, outlines, course) }
}

/** The curriculum of a public course for a viewer who is not enrolled. */
async function publicSections(
  db: SchoolDb,
  outlines: OutlineSource,
  course: OutlineKey,
): Promise<readonly ViewedSection[]> {
  const { sections } = (await outlines.load(db, [course])).get(course.id) ?? EMPTY_OUTLINE
  return sections.map((section) => ({
    id: section.id,
    title: section.title,
    lectures: lecturesOf(undefined, section),
  }))
}

async function viewAsMember(
  db: SchoolDb,
  outlines: OutlineSource,
  userId: string,
  enrollment: EnrolledCourse,
): Promise<ViewedCourse | undefined> {
  const [course] = new SyllabusReader(db, userId, outlines).withSyllabus([enrollment])
  if (course === undefined) return undefined
  const sections = await Promise.all(
    (await course.sections()).map(async ({ id, title, lectures }) => ({
      id,
      title,
      lectures: await lectures(),
    })),
  )
  return {
    ...headOf(enrollment),
    sections,
    learner: { enrollment, progress: await course.progress() },
  }
}

function headOf({ id, slug, title }: { id: string; slug: string; title: string }) {
  return { id, slug, title }
}
