import { sql } from 'kysely'
import type { Section } from './section.ts'

/** The person, and what they are at this school. */
export const PERSON_SECTIONS: readonly Section[] = [
  {
    name: 'account',
    title: 'Your account',
    tables: ['users'],
    fields: sql`u.id, u.name, u.email, u.avatar_url as picture, u.created_at, u.password_changed_at`,
    rows: ({ userId }) => sql`from users u where u.id = ${userId} and u.deleted_at is null`,
    order: [sql`u.created_at`, sql`u.id`],
  },
  {
    name: 'pictures',
    title: 'Your pictures',
    tables: ['person_pictures'],
    fields: sql`p.content_type, p.size_bytes, p.created_at, p.unused_since`,
    rows: ({ userId }) => sql`from person_pictures p where p.user_id = ${userId}`,
    order: [sql`p.created_at`, sql`p.id`],
  },
  {
    name: 'membership',
    title: 'Your roles at this school',
    tables: ['school_members'],
    fields: sql`m.roles, m.joined_at, m.signed_in_at as first_signed_in_at, m.typed_name as name_typed_by_the_school,
      m.typed_email as email_known_to_the_school, m.invited_at, m.invitation_opened_at`,
    rows: ({ schoolId, userId }) => sql`
      from school_members m where m.school_id = ${schoolId} and m.user_id = ${userId}`,
    order: [sql`m.joined_at`, sql`m.user_id`],
  },
  {
    name: 'deletion',
    title: 'Deletion that you asked for',
    tables: ['deletion_requests'],
    fields: sql`case when d.school_id is null then 'account' else 'school' end as part, d.requested_at, d.due_at`,
    rows: ({ schoolId, userId }) => sql`
      from deletion_requests d
      where d.user_id = ${userId} and (d.school_id is null or d.school_id = ${schoolId})`,
    order: [sql`d.requested_at`, sql`d.id`],
  },
  {
    name: 'lecturer',
    title: 'What the school says of you as a lecturer',
    tables: ['lecturers'],
    fields: sql`l.headline, l.bio, l.created_at, l.updated_at`,
    rows: ({ schoolId, userId }) => sql`
      from lecturers l where l.school_id = ${schoolId} and l.user_id = ${userId}`,
    order: [sql`l.created_at`, sql`l.user_id`],
  },
  {
    name: 'courses_taught',
    title: 'Courses that you teach',
    tables: ['course_lecturers'],
    fields: sql`c.title as course`,
    rows: ({ schoolId, userId }) => sql`
      from course_lecturers t join courses c on c.school_id = t.school_id and c.id = t.course_id
      where t.school_id = ${schoolId} and t.user_id = ${userId}`,
    order: [sql`c.created_at`, sql`c.id`],
  },
  {
    name: 'services_hosted',
    title: 'Consulting that you offer',
    tables: ['consulting_services'],
    fields: sql`s.title, s.state, s.created_at`,
    rows: ({ schoolId, userId }) => sql`
      from consulting_services s where s.school_id = ${schoolId} and s.host_id = ${userId}`,
    order: [sql`s.created_at`, sql`s.id`],
  },
  {
    name: 'posts',
    title: 'Posts that you wrote',
    tables: ['posts'],
    fields: sql`p.title, p.slug, p.state, p.published_at, p.created_at`,
    rows: ({ schoolId, userId }) => sql`
      from posts p where p.school_id = ${schoolId} and p.author_id = ${userId}`,
    order: [sql`p.created_at`, sql`p.id`],
  },
  {
    name: 'files',
    title: 'Files that you uploaded',
    tables: ['files'],
    fields: sql`f.name, f.content_type, f.size_bytes, '/files/' || f.id as path, f.created_at`,
    rows: ({ schoolId, userId }) => sql`
      from files f where f.school_id = ${schoolId} and f.created_by = ${userId}`,
    order: [sql`f.created_at`, sql`f.id`],
  },
]
