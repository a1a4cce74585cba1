import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { courseSchema, courses } from '../learning/course-operations.ts'
import { checkCourses } from '../learning/enrollment-operations.ts'
import { changeFields, count, id, line, stamps, utc } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { invalid } from '../operation/refusal.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { personOf } from '../people/find-people.ts'
import { checkMembers } from '../people/membership.ts'

const shown = {
  object: z.literal('study_group'),
  id,
  name: line(200),
  course_id: id.nullable(),
  member_count: count,
  upcoming_class_count: count,
  ...stamps,
  course: courseSchema.nullable().optional(),
}

const studyGroupSchema = z.strictObject(shown).meta({ id: 'StudyGroup' })

const wholeGroupSchema = z
  .strictObject({
    ...shown,
    member_ids: z
      .array(id)
      .meta({ description: 'The members of the group, who attend every class.' }),
  })
  .meta({ id: 'WholeStudyGroup' })

const expansions = { course: expansionOf(courses, 'course_id', ['courses:read']) }

const UPCOMING = sql`
  (select count(*) from consulting_meetings m
   where m.school_id = g.school_id and m.study_group_id = g.id
     and m.starts_at > now()) as upcoming_class_count`

const ROSTER = sql`from study_group_members p where p.school_id = g.school_id and p.group_id = g.id`

/** Without the roster, which can be long: `listRoster` has it in pages. */
const studyGroups: Resource<typeof studyGroupSchema> = {
  object: 'study_group',
  schema: studyGroupSchema,
  rows: (db) => sql`
    select g.id, g.name, g.course_id, g.member_count, ${UPCOMING},
      g.created_at, g.updated_at, g.version
    from study_groups g where g.school_id = ${db.schoolId}`,
  expansions,
}

/** As exports write them and imports compare them. */
export const wholeStudyGroups: Resource<typeof wholeGroupSchema> = {
  object: 'study_group',
  schema: wholeGroupSchema,
  rows: (db) => sql`
    select g.id, g.name, g.course_id, roster.member_ids,
      cardinality(roster.member_ids) as member_count, ${UPCOMING},
      g.created_at, g.updated_at, g.version
    from study_groups g, lateral (
      select array(select p.user_id ${ROSTER} order by p.user_id)::text[] as member_ids) roster
    where g.school_id = ${db.schoolId}`,
  expansions,
}

const rosterEntrySchema = z
  .strictObject({
    object: z.literal('study_group_member'),
    id: id.meta({ description: 'The member.' }),
    group_id: id,
    name: z.string(),
    email: z.string().nullable(),
    joined_at: utc,
  })
  .meta({ id: 'StudyGroupMember' })

export const roster: Resource<typeof rosterEntrySchema> = {
  object: 'study_group_member',
  schema: rosterEntrySchema,
  rows: (db) => sql`
    select p.user_id as id, p.group_id, u.name, u.email, p.joined_at
    from study_group_members p join ${shownPeople(db)} u on u.id = p.user_id
    where p.school_id = ${db.schoolId}`,
}

const MAX_MEMBERS = 5000

export const studyGroupFields = {
  name: line(200),
  course_id: id.nullable().default(null),
  member_ids: z.array(id).max(MAX_MEMBERS).default([]),
}

const { member_ids: _, ...changeable } = studyGroupFields

const ops = objectOperations({
  of: studyGroups,
  table: 'study_groups',
  one: 'a study group',
  scope: null,
  fields: studyGroupFields,
})

export const listStudyGroups = listOperation({
  ...ops.listed,
  summary: 'Members who meet as a class.',
  filters: {
    course_id: filter(id, (value) => sql`r.course_id = ${value}`),
    search: searchIn('name'),
  },
  sorts: { created_at: 'time', name: 'text' },
  defaultSort: '-created_at',
})

export const readStudyGroup = ops.read()

export const createStudyGroup = ops.create({
  summary: 'Groups members, who then see every class of the group in their schedule.',
  async create(tx, _caller, { member_ids, ...columns }) {
    await checkCourse(tx, columns.course_id)
    const group = await ops.insert(tx, columns)
    await addMembers(tx, group, await checkMembers(tx, 'member_ids', member_ids))
    return group
  },
})

export const changeStudyGroup = ops.change({
  summary: 'Changes the name or the course.',
  fields: changeFields(changeable),
  async change(tx, _caller, { id: group, if_version, ...columns }) {
    await checkCourse(tx, columns.course_id)
    await ops.update(tx, { id: group, if_version }, columns)
  },
})

export const removeStudyGroup = ops.remove({
  summary: 'Removes a group that has no classes.',
  keptBy: [
    {
      table: 'consulting_meetings',
      column: 'study_group_id',
      detail:
        'This group has classes, so it cannot be removed. Remove those that do not take place instead.',
    },
  ],
})

export const listRoster = listOperation({
  name: 'study_groups.roster',
  title: 'List a study group’s members',
  summary: 'The members of the group, who attend every class.',
  ...WITHOUT_SCOPE,
  of: roster,
  within: { group_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, studyGroups, input.group_id),
  filters: { search: searchIn(personOf('id')) },
  sorts: { joined_at: 'time' },
  defaultSort: '-joined_at',
})

export const addToStudyGroup = ops.action('add_member', {
  title: 'Add a member to a study group',
  summary: 'Shows the classes of the group, past ones included, in the schedule of the member.',
  fields: { member_id: id },
  async change(tx, _caller, { id: group, if_version, member_id }) {
    await touch(tx, group, if_version)
    await checkMembers(tx, 'member_id', [member_id])
    if ((await addMembers(tx, group, [member_id])) > 0) return
    throw invalid('member_id', 'already_in_group', 'This member is already in the group.')
  },
})

export const removeFromStudyGroup = ops.action('remove_member', {
  title: 'Remove a member from a study group',
  summary: 'Removes the classes of the group from the schedule of the member.',
  fields: { member_id: id },
  async change(tx, _caller, { id: group, if_version, member_id }) {
    await touch(tx, group, if_version)
    const left = await tx
      .delete('study_group_members')
      .where('group_id', '=', group)
      .where('user_id', '=', member_id)
      .returning('user_id')
      .executeTakeFirst()
    if (left === undefined) {
      throw invalid('member_id', 'not_in_group', 'This member is not in the group.')
    }
  },
})

/** A change of the members raises the version of the group, and locks its row. */
async function touch(tx: SchoolTx, id: string, if_version: number | undefined): Promise<void> {
  await ops.update(tx, { id, if_version }, { updated_at: sql`now()` })
}

async function addMembers(
  tx: SchoolTx,
  group: string,
  members: readonly string[],
): Promise<number> {
  const { rows } = await tx.run(sql`
    insert into study_group_members (school_id, group_id, user_id)
    select ${tx.schoolId}, ${group}, member from unnest(${members}::uuid[]) as member
    on conflict do nothing returning 1`)
  return rows.length
}

async function checkCourse(tx: SchoolTx, course: string | null | undefined): Promise<void> {
  if (course != null) await checkCourses(tx, 'course_id', [course])
}

/** By seats, or by the roster of the group: a class has no seats. */
export const attendeesOf = (
  { schoolId }: Pick<SchoolDb, 'schoolId'>,
  { id, study_group_id }: { readonly id: string; readonly study_group_id: string | null },
) =>
  study_group_id === null
    ? sql`select user_id from meeting_seats where school_id = ${schoolId} and meeting_id = ${id}`
    : sql`select user_id from study_group_members
        where school_id = ${schoolId} and group_id = ${study_group_id}`
