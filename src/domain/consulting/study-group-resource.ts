import { sql } from 'kysely'
import { z } from 'zod'
import { courseSchema, courses } from '../learning/course-resource.ts'
import { count, id, line, stamps, utc } from '../operation/fields.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { shownPeople } from '../people/shown-person.ts'

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
export const studyGroups: Resource<typeof studyGroupSchema> = {
  object: 'study_group',
  schema: studyGroupSchema,
  rows: (at) => sql`
    select g.id, g.name, g.course_id, g.member_count, ${UPCOMING},
      g.created_at, g.updated_at, g.version
    from study_groups g where g.school_id = ${at.schoolId}`,
  expansions,
}

/** As exports write them and imports compare them. */
export const wholeStudyGroups: Resource<typeof wholeGroupSchema> = {
  object: 'study_group',
  schema: wholeGroupSchema,
  rows: (at) => sql`
    select g.id, g.name, g.course_id, roster.member_ids,
      cardinality(roster.member_ids) as member_count, ${UPCOMING},
      g.created_at, g.updated_at, g.version
    from study_groups g, lateral (
      select array(select p.user_id ${ROSTER} order by p.user_id)::text[] as member_ids) roster
    where g.school_id = ${at.schoolId}`,
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
  rows: (at) => sql`
    select p.user_id as id, p.group_id, u.name, u.email, p.joined_at
    from study_group_members p join ${shownPeople(at)} u on u.id = p.user_id
    where p.school_id = ${at.schoolId}`,
}
