import { sql } from 'kysely'
import { z } from 'zod'
import { shownPeople } from '../actor/shown-person.ts'
import { id, markdown, stamps, text, valueFields, writtenMarkdown } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { cappedCount, cappedCountField } from '../operation/list-page.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { invalid } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import { rolesAt } from '../people/membership.ts'

export const lecturerFields = {
  headline: text(0, 300).default(''),
  bio: markdown(20_000).default(''),
}

/** A school may name one person on thousands of courses; a list of courses has them in pages. */
const MOST_COURSES = 100

const lecturerSchema = z
  .strictObject({
    object: z.literal('lecturer'),
    id: id.meta({ description: 'The member behind the profile.' }),
    name: text(1, 200),
    ...valueFields(lecturerFields),
    bio: writtenMarkdown,
    course_ids: z
      .array(id)
      .max(MOST_COURSES)
      .meta({
        description: `The first ${MOST_COURSES} by id. List courses by \`lecturer_id\` to get all.`,
      }),
    course_count: cappedCountField(),
    ...stamps,
  })
  .meta({ id: 'Lecturer' })

const TAUGHT = sql`from course_lecturers c where c.school_id = l.school_id and c.user_id = l.user_id`

export const lecturers: Resource<typeof lecturerSchema> = {
  object: 'lecturer',
  restPath: '/lecturers/{id}',
  schema: lecturerSchema,
  rows: (db) => sql`
    select l.user_id as id, u.name, l.headline, l.bio,
      to_json(array(select c.course_id ${TAUGHT} order by c.course_id limit ${sql.lit(MOST_COURSES)})) as course_ids,
      ${cappedCount(TAUGHT)} as course_count, l.created_at, l.updated_at, l.version
    from lecturers l join ${shownPeople(db)} u on u.id = l.user_id
    where l.school_id = ${db.schoolId}`,
}

const ops = objectOperations({
  of: lecturers,
  table: 'lecturers',
  key: 'user_id',
  one: 'a lecturer',
  example: EXAMPLE.lecturer,
  once: { member_id: id },
  fields: lecturerFields,
})

export const listLecturers = listOperation({
  ...ops.listed,
  summary: 'The lecturer profiles of the school.',
  filters: {
    search: searchIn('name', 'headline'),
    course_id: filter(
      id,
      (value, db) => sql`r.id in (
        select c.user_id from course_lecturers c
        where c.school_id = ${db.schoolId} and c.course_id = ${value})`,
    ),
  },
  sorts: { created_at: 'time', name: 'text' },
  defaultSort: 'name',
})

export const readLecturer = ops.read({
  summary: 'One lecturer by the id of the member.',
})

export const createLecturer = ops.create({
  title: 'Create a lecturer profile',
  summary: 'Creates a profile for a member who holds the lecturer role.',
  examples: [
    { title: 'A new profile', input: { member_id: EXAMPLE.newcomer, headline: 'Paints outdoors' } },
  ],
  async create(tx, _caller, { member_id, ...columns }) {
    if (!(await rolesAt(tx, member_id)).includes('lecturer')) {
      throw invalid(
        'member_id',
        'unknown_reference',
        'This member does not hold the lecturer role here. Give it to them first.',
      )
    }
    await tx.insert('lecturers', { ...columns, user_id: member_id }).execute()
    return member_id
  },
})

export const changeLecturer = ops.change({
  summary: 'Changes the profile. Only the person can change their name.',
  examples: [
    { title: 'Another headline', input: { id: EXAMPLE.lecturer, headline: 'Draws, too' } },
  ],
})

export const removeLecturer = ops.remove({
  summary: 'Removes the profile, also from courses. The member keeps their roles.',
  examples: [{ title: 'Remove a profile', input: { id: EXAMPLE.lecturer } }],
})

export const lecturerOperations = {
  list: listLecturers,
  read: readLecturer,
  create: createLecturer,
  change: changeLecturer,
  remove: removeLecturer,
}
