import { z } from 'zod'
import { EMPTY_OUTLINE, type Outline } from '../../../domain/learning/outline.ts'
import {
  findPublicCourse,
  type PublicCourse,
  publicCourses,
} from '../../../domain/learning/public-courses.ts'
import type { School } from '../../../domain/schools/school.ts'
import { LongAnswer, lengthInput } from '../long-answer.ts'
import { cursorInput, nextCursor, readPage } from '../paging.ts'
import { Whole } from '../parts.ts'
import {
  amount,
  currency,
  excerpt,
  inShape,
  publicTool,
  READS,
  ToolProblem,
  time,
  words,
} from '../tool.ts'
import { itemFields, itemOf, listInput } from './links.ts'

const item = z.object({
  ...itemFields,
  title: z.string(),
  summary: z.string(),
  priceAmount: amount,
  currency,
  publishedAt: time,
})

function courseItem(school: School, course: Omit<PublicCourse, 'key'>): z.input<typeof item> {
  return inShape(item, { ...course, ...itemOf(school, 'course', course) })
}

export const listCourses = publicTool({
  name: 'list_courses',
  title: 'List courses',
  description:
    'The school’s published courses, newest first, with prices. get_course gives the outline of one. Reads only.',
  annotations: READS,
  input: z.strictObject(listInput),
  output: z.object({ courses: z.array(item), nextCursor }),
  run: async ({ db, school }, { search, ...page }) => {
    const found = await readPage('courses', page, (range) => publicCourses(db, search, range))
    const items = found.rows.map((course) => courseItem(school, course))
    return found.answer(items, (courses, nextCursor) => ({ courses, nextCursor }))
  },
})

const outlineLecture = z.object({
  title: z.string(),
  durationSeconds: z.number().int(),
  isPreview: z.boolean().describe('open without an enrollment'),
})

export const getCourse = publicTool({
  name: 'get_course',
  title: 'Show a course',
  description:
    'One published course: price, lecturers, and its outline of sections and lectures. The texts of the lectures are not part of it; fetch gives the full description. Reads only.',
  annotations: READS,
  input: z.strictObject({
    slug: words(120).describe('slug of the course, from list_courses or search'),
    cursor: cursorInput,
    ...lengthInput,
  }),
  output: z.object({
    course: item.extend({
      excerpt: z.string().describe('beginning of the description'),
      lecturers: z.array(z.object({ name: z.string(), headline: z.string() })),
      lectureCount: z.number().int(),
      durationSeconds: z.number().int().describe('of all lectures together'),
    }),
    sections: z.array(z.object({ title: z.string(), lectures: z.array(outlineLecture) })),
    nextCursor,
  }),
  run: async ({ db, school, outlines }, { slug, cursor, max_characters }) => {
    const course = await findPublicCourse(db, slug)
    if (course === undefined) {
      throw new ToolProblem(
        `There is no published course “${slug}”. list_courses shows which are.`,
        'not_found',
      )
    }
    const outline = (await outlines.load(db, [course])).get(course.id) ?? EMPTY_OUTLINE
    const lectures = lecturesIn(outline)
    const ids = lectures.map(({ id }) => id).join()
    const whole = new Whole(`get_course ${slug}`, ids, lectures.length)
    const from = whole.placeOf(cursor)
    const shown = {
      ...courseItem(school, course),
      excerpt: excerpt(course.description, 1000),
      lecturers: course.lecturers.slice(0, 50),
      lectureCount: outline.lectureCount,
      durationSeconds: lectures.reduce((sum, next) => sum + next.durationSeconds, 0),
    }
    return new LongAnswer({
      max: max_characters,
      count: lectures.length - from,
      write: (count) => ({
        course: shown,
        sections: sectionsBetween(outline, from, from + count),
        nextCursor: whole.cursorAt(from + count),
      }),
    })
  },
})

function lecturesIn({ sections }: Outline) {
  return sections.flatMap(({ lectures }) => lectures)
}

/**
 * The part of an outline that holds the lectures of these numbers, sections without any left out.
 */
function sectionsBetween({ sections }: Outline, from: number, until: number) {
  let passed = 0
  return sections.flatMap(({ title, lectures }) => {
    const first = passed
    passed += lectures.length
    const shown = lectures.slice(Math.max(0, from - first), Math.max(0, until - first))
    if (shown.length === 0) return []
    return [
      {
        title,
        lectures: shown.map((lecture) => inShape(outlineLecture, lecture)),
      },
    ]
  })
}
