import type { CourseSketch, SectionSketch } from './content/school-content.ts'
import { personId } from './people.ts'
import { idAt, minorUnits, type Stage } from './stage.ts'
import { varietyOf } from './variety.ts'

export interface DemoLecture {
  readonly id: string
  readonly title: string
  readonly durationSeconds: number
  readonly section: SectionSketch
}

export function addCourses(stage: Stage): void {
  for (const [i, course] of stage.school.courses.entries()) addCourse(stage, course, i)
}

export function courseId(stage: Stage, slug: string): string {
  return idAt(stage, 'course', slug)
}

/** The lectures of a course in order, the same at every call. */
export function lecturesOf(stage: Stage, slug: string): readonly DemoLecture[] {
  const course = stage.school.courses.find((known) => known.slug === slug)
  if (course === undefined) throw new Error(`${stage.school.name} has no course ${slug}`)
  const variety = varietyOf(`${stage.school.key}/lectures/${slug}`)
  return course.sections.flatMap((section, s) =>
    section.lectures.map((title, position) => {
      const isShort = /^(Quiz|Exercise|Capstone)\b/.test(title) || variety.chance(0.15)
      return {
        id: idAt(stage, 'lecture', `${slug}/${s}/${position}`),
        title,
        durationSeconds: isShort ? variety.integer(5, 15) * 60 : variety.integer(240, 1500),
        section,
      }
    }),
  )
}

function addCourse(stage: Stage, course: CourseSketch, index: number): void {
  const { schoolId, clock, rows, school } = stage
  const id = courseId(stage, course.slug)
  const state = course.state ?? 'published'
  const createdDaysAgo = 1240 - 20 * index
  const created_at = clock.at(-createdDaysAgo)
  rows.add('courses', {
    school_id: schoolId,
    id,
    slug: course.slug,
    title: course.title,
    summary: course.summary,
    description: descriptionOf(course),
    state,
    price_amount: minorUnits(course.price),
    currency: school.currency,
    published_at: state === 'draft' ? null : clock.at(-createdDaysAgo + 14),
    archived_at: state === 'archived' ? clock.at(-200) : null,
    created_at,
  })
  for (const [position, key] of course.taughtBy.entries()) {
    const user_id = personId(key)
    rows.add('course_lecturers', { school_id: schoolId, course_id: id, user_id, position })
  }
  const lectures = lecturesOf(stage, course.slug)
  for (const [position, section] of course.sections.entries()) {
    const section_id = idAt(stage, 'section', `${course.slug}/${position}`)
    rows.add('sections', {
      school_id: schoolId,
      id: section_id,
      course_id: id,
      position,
      title: section.title,
      created_at,
    })
    const own = lectures.filter((lecture) => lecture.section === section)
    for (const [place, lecture] of own.entries()) {
      rows.add('lectures', {
        school_id: schoolId,
        id: lecture.id,
        course_id: id,
        section_id,
        position: place,
        title: lecture.title,
        kind: 'text',
        body: 'Read, try, and write down **one** question.',
        duration_seconds: lecture.durationSeconds,
        is_preview: position === 0 && place < 2,
        unlock_after_days: section.unlockAfterDays ?? null,
        unlock_at:
          section.unlockInDays === undefined ? null : clock.at(section.unlockInDays, '01:00'),
        created_at,
      })
    }
  }
}

function descriptionOf({ summary, sections }: CourseSketch): string {
  const chapters = sections.map(({ title }) => `- ${title}`).join('\n')
  return `${summary}\n\n## What you will go through\n\n${chapters}`
}
