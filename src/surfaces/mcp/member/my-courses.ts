import { z } from 'zod'
import { enrolledCoursesOf, findEnrolledCourse } from '../../../domain/learning/enrolled-courses.ts'
import { LECTURE_STATES, nextLecture } from '../../../domain/learning/progress.ts'
import {
  type CourseWithSyllabus,
  type SyllabusLecture,
  SyllabusReader,
} from '../../../domain/learning/syllabus.ts'
import { LongAnswer, lengthInput } from '../long-answer.ts'
import { cursorInput, nextCursor, pageInput, readPage } from '../paging.ts'
import { Whole } from '../parts.ts'
import { inShape, maybeTime, READS, scopedTool, ToolProblem, words } from '../tool.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

const lecture = z.object({
  id: z.string(),
  title: z.string(),
  duration: z.number().int().describe('seconds'),
  state: z.enum(LECTURE_STATES),
  isLocked: z.boolean(),
  unlockAt: maybeTime,
})

function lectureItem(one: SyllabusLecture): z.input<typeof lecture> {
  return inShape(lecture, { ...one, duration: one.durationSeconds })
}

const course = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  expireDate: maybeTime,
  hasLifetimeAccess: z.boolean(),
  lastWatchedLecture: z
    .object({ lectureId: z.string(), positionSeconds: z.number().int() })
    .nullable(),
  detailProgress: z.object({
    completedLectures: z.number().int(),
    totalLectures: z.number().int(),
    percent: z.number().int(),
  }),
  nextLecture: lecture.nullable().describe('where to go on; null if nothing is left or open'),
})

async function courseItem(enrolled: CourseWithSyllabus): Promise<z.input<typeof course>> {
  const next = nextLecture(await enrolled.lectures(), enrolled.lastWatched?.lectureId)
  return inShape(course, {
    ...enrolled,
    expireDate: enrolled.expiresAt,
    hasLifetimeAccess: enrolled.expiresAt === null,
    lastWatchedLecture: enrolled.lastWatched,
    detailProgress: await enrolled.progress(),
    nextLecture: next === undefined ? null : lectureItem(next),
  })
}

export const myCourses = scopedTool({
  name: 'my_courses',
  title: 'My courses',
  description:
    'The courses that the signed-in person is enrolled in, latest first, with their progress and the lecture to go on with. my_course gives the syllabus of one. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'courses',
  input: z.strictObject(pageInput),
  output: z.object({ courses: z.array(course), nextCursor, graphql: graphqlLink }),
  run: async ({ db, caller, outlines, school }, page) => {
    const found = await readPage('my_courses', page, (range) =>
      enrolledCoursesOf(db, caller.person.id, range),
    )
    const reader = new SyllabusReader(db, caller.person.id, outlines)
    const enrolled = reader.withSyllabus(found.rows)
    const items = await Promise.all(enrolled.map(courseItem))
    const graphql = linkTo(
      school,
      '{ viewer { enrolledCourses { nodes { id slug title expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds } detailProgress { completedLectures totalLectures percent } } } } }',
    )
    return found.answer(items, (courses, nextCursor) => ({ courses, nextCursor, graphql }))
  },
})

export const myCourse = scopedTool({
  name: 'my_course',
  title: 'My progress in a course',
  description:
    'The syllabus of one course of the signed-in person, with the state of every lecture: unread, read or completed, locked or open. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'courses',
  input: z.strictObject({
    slug: words(120).describe('slug of the course, from my_courses'),
    cursor: cursorInput,
    ...lengthInput,
  }),
  output: z.object({
    course,
    lectures: z.array(lecture.extend({ section: z.string() })).describe('in their order'),
    nextCursor,
    graphql: graphqlLink,
  }),
  run: async ({ db, caller, outlines, school }, { slug, cursor, max_characters }) => {
    const found = await findEnrolledCourse(db, caller.person.id, slug)
    const reader = new SyllabusReader(db, caller.person.id, outlines)
    const [enrolled] = reader.withSyllabus(found ? [found] : [])
    if (enrolled === undefined) {
      throw new ToolProblem(
        `The person is not enrolled in a course “${slug}”. my_courses shows in which they are.`,
        'not_found',
      )
    }
    const all = await enrolled.lectures()
    const whole = new Whole(`my_course ${slug}`, all.map(({ id }) => id).join(), all.length)
    const from = whole.placeOf(cursor)
    const shown = await courseItem(enrolled)
    const lectures = all
      .slice(from)
      .map((one) => ({ ...lectureItem(one), section: one.sectionTitle }))
    const graphql = linkTo(
      school,
      '{ viewer { enrolledCourses { nodes { slug sections { title lectures { id title state isLocked unlockAt duration } } } } } }',
    )
    return new LongAnswer({
      max: max_characters,
      count: lectures.length,
      write: (count) => ({
        course: shown,
        lectures: lectures.slice(0, count),
        nextCursor: whole.cursorAt(from + count),
        graphql,
      }),
    })
  },
})
