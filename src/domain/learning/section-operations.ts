import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { id } from '../operation/fields.ts'
import { listOperation } from '../operation/list-operation.ts'
import { changeOperation, objectOperations, readOperation } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { invalid, notFound, stale } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { courses } from './course-operations.ts'
import { curricula, sectionFields, sections } from './curriculum-resource.ts'

const READ = ['curriculum:read']
const WRITE = ['curriculum:write']

export const readCurriculum = readOperation({
  name: 'curriculum.read',
  title: 'Read a curriculum',
  summary: 'All sections of a course with their lectures, in order.',
  scopes: READ,
  of: curricula,
  examples: [{ title: 'The outline of a course', input: { id: EXAMPLE.course } }],
})

export const reorderCurriculum = changeOperation({
  name: 'curriculum.reorder',
  title: 'Reorder a curriculum',
  summary:
    'Sets the order of all sections and lectures of a course. Lectures may move to other sections. List each exactly once.',
  scopes: WRITE,
  of: curricula,
  fields: {
    sections: z
      .array(z.strictObject({ id, lecture_ids: z.array(id).max(2000) }))
      .max(500)
      .meta({ description: 'All sections, in order, each with its lectures, in order.' }),
  },
  examples: [
    {
      title: 'The second section first',
      input: {
        id: EXAMPLE.course,
        sections: [
          { id: EXAMPLE.secondSection, lecture_ids: [EXAMPLE.secondLecture] },
          { id: EXAMPLE.section, lecture_ids: [EXAMPLE.lecture] },
        ],
      },
    },
  ],
  async change(tx, caller, { id: course, if_version, sections: wanted }) {
    await lockCourse(tx, course)
    const before = await loadObject(tx, caller, curricula, course)
    if (if_version !== undefined && if_version !== before.version) throw stale(before.version)
    const places = wanted.flatMap((section) => section.lecture_ids)
    checkSame(
      'sections',
      before.sections.map((section) => section.id),
      wanted.map((s) => s.id),
    )
    checkSame(
      'sections',
      before.sections.flatMap((s) => s.lectures.map((l) => l.id)),
      places,
    )
    await tx.run(sql`
      update sections s set position = o.place - 1
      from unnest(${wanted.map((section) => section.id)}::uuid[]) with ordinality as o (id, place)
      where s.school_id = ${tx.schoolId} and s.course_id = ${course} and s.id = o.id`)
    const owners = wanted.flatMap((section) => section.lecture_ids.map(() => section.id))
    const positions = wanted.flatMap((section) => section.lecture_ids.map((_, place) => place))
    await tx.run(sql`
      update lectures l set section_id = o.section_id, position = o.place
      from unnest(${places}::uuid[], ${owners}::uuid[], ${positions}::int[]) as o (id, section_id, place)
      where l.school_id = ${tx.schoolId} and l.course_id = ${course} and l.id = o.id`)
  },
})

function checkSame(field: string, before: readonly string[], wanted: readonly string[]): void {
  const same = [...before].sort().join() === [...wanted].sort().join()
  if (same) return
  throw invalid(
    field,
    'incomplete',
    'List every section and every lecture of this course exactly once. Read the curriculum for the ids.',
  )
}

/** Locks the course: two changes of one outline at the same time could use the same position. */
export async function lockCourse(tx: SchoolTx, course: string): Promise<void> {
  const { rows } = await tx.run(sql`
    select 1 from courses where school_id = ${tx.schoolId} and id = ${course} for no key update`)
  if (rows.length === 0) throw notFound('course')
}

const ops = objectOperations({
  of: sections,
  table: 'sections',
  one: 'a section',
  scope: 'curriculum',
  example: EXAMPLE.section,
  once: { course_id: id },
  fields: sectionFields,
})

export const listSections = listOperation({
  ...ops.listed,
  title: 'List the sections of a course',
  summary: 'The sections, in the order that students see.',
  within: { course_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, courses, input.course_id),
  sorts: { position: 'number', created_at: 'time' },
  defaultSort: 'position',
  examples: [{ title: 'The sections of a course', input: { course_id: EXAMPLE.course } }],
})

export const readSection = ops.read()

export const createSection = ops.create({
  summary: 'Adds a section at the end of a course.',
  examples: [{ title: 'A section', input: { course_id: EXAMPLE.course, title: 'Going further' } }],
  async create(tx, _caller, { course_id, title }) {
    await lockCourse(tx, course_id)
    const made = uuidv7()
    await tx.run(sql`
      insert into sections (school_id, id, course_id, title, position)
      select ${tx.schoolId}, ${made}, ${course_id}, ${title}, coalesce(max(position) + 1, 0)
      from sections where school_id = ${tx.schoolId} and course_id = ${course_id}`)
    return made
  },
})

export const changeSection = ops.change({
  summary: 'Renames a section.',
  examples: [{ title: 'Another name', input: { id: EXAMPLE.section, title: 'Beginnings' } }],
})

export const removeSection = ops.remove({
  summary: 'Removes a section, its lectures, and the students’ progress in them.',
  examples: [{ title: 'Remove a section', input: { id: EXAMPLE.secondSection } }],
})

export const curriculumOperations = {
  read: readCurriculum,
  reorder: reorderCurriculum,
}

export const sectionOperations = {
  list: listSections,
  read: readSection,
  create: createSection,
  change: changeSection,
  remove: removeSection,
}
