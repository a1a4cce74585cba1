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

/** Where the person is signed in, what they allowed, and what they did. */
export const ACCESS_SECTIONS: readonly Section[] = [
  {
    name: 'browsers',
    title: 'Browsers that are signed in here',
    tables: ['browser_sessions'],
    fields: sql`b.device, b.created_at, b.authenticated_at, b.methods, b.last_seen_at, b.expires_at`,
    rows: ({ schoolId, userId }) => sql`
      from browser_sessions b where b.user_id = ${userId} and b.school_id = ${schoolId}`,
    order: [sql`b.created_at`, sql`b.id`],
  },
  {
    name: 'passkeys',
    title: 'Your passkeys here',
    tables: ['passkeys'],
    fields: sql`k.name, k.transports, k.backed_up, k.created_at, k.last_used_at, k.cloned_at`,
    rows: ({ schoolId, userId }) => sql`
      from passkeys k where k.user_id = ${userId} and k.school_id = ${schoolId}`,
    order: [sql`k.created_at`, sql`k.id`],
  },
  {
    name: 'second_factor',
    title: 'Your authenticator app',
    tables: ['authenticators', 'recovery_codes'],
    fields: sql`a.created_at, (
      select count(*) from recovery_codes r where r.user_id = a.user_id) as recovery_codes_left`,
    rows: ({ userId }) => sql`from authenticators a where a.user_id = ${userId}`,
    order: [sql`a.created_at`, sql`a.user_id`],
  },
  {
    name: 'trusted_browsers',
    title: 'Browsers here that are not asked for a code',
    tables: ['trusted_devices'],
    fields: sql`t.created_at, t.expires_at`,
    rows: ({ schoolId, userId }) => sql`
      from trusted_devices t where t.user_id = ${userId} and t.school_id = ${schoolId}`,
    order: [sql`t.created_at`, sql`t.id`],
  },
  {
    name: 'email_changes',
    title: 'New email addresses that you asked for lately',
    tables: ['email_changes'],
    fields: sql`e.old_email, e.new_email, e.created_at, e.changed_at, e.ended_at`,
    rows: ({ userId }) => sql`from email_changes e where e.user_id = ${userId}`,
    order: [sql`e.created_at`, sql`e.id`],
  },
  {
    name: 'lost_factors',
    title: 'Your request to remove a lost passkey or authenticator app',
    tables: ['lost_factors'],
    fields: sql`l.asked_at`,
    rows: ({ userId }) => sql`from lost_factors l where l.user_id = ${userId}`,
    order: [sql`l.asked_at`, sql`l.user_id`],
  },
  {
    name: 'apps',
    title: 'Apps that you allowed to use your account here',
    tables: ['authorizations'],
    fields: sql`c.name as app, a.scopes, a.device, a.created_at, a.last_used_at, a.revoked_at as ended_at`,
    rows: ({ schoolId, userId }) => sql`
      from authorizations a join clients c on c.school_id = a.school_id and c.client_id = a.client_id
      where a.school_id = ${schoolId} and a.user_id = ${userId}`,
    order: [sql`a.created_at`, sql`a.id`],
  },
  {
    name: 'app_activity',
    title: 'What those apps read and changed in the last 30 days',
    tables: [],
    fields: sql`c.name as app, w.day, w.kind, w.reads, w.changes, w.last_read_at, w.last_changed_at`,
    rows: ({ schoolId, userId }) => sql`
      from authorizations a join clients c on c.school_id = a.school_id and c.client_id = a.client_id
        join app_activity w on w.school_id = a.school_id and w.authorization_id = a.id
      where a.school_id = ${schoolId} and a.user_id = ${userId}`,
    order: [sql`w.day`, sql`concat(w.authorization_id, w.kind)`],
  },
  {
    name: 'applications_managed',
    title: 'Applications that you added or reviewed',
    tables: ['clients'],
    fields: sql`c.name, c.client_id, c.created_at, c.reviewed_at, c.deleted_at`,
    rows: ({ schoolId, userId }) => sql`
      from clients c where c.school_id = ${schoolId} and ${userId} in (c.created_by, c.reviewed_by)`,
    order: [sql`c.created_at`, sql`c.client_id`],
  },
  {
    name: 'jobs',
    title: 'Long work that you started',
    tables: ['jobs'],
    fields: sql`j.kind, j.title, j.state, j.created_at, j.finished_at`,
    rows: ({ schoolId, userId }) => sql`
      from jobs j where j.school_id = ${schoolId} and j.user_id = ${userId}`,
    order: [sql`j.created_at`, sql`j.id`],
  },
  {
    name: 'audit',
    title: 'What you did here, as the school recorded it',
    tables: ['audit_entries'],
    fields: sql`a.at, a.action, a.outcome, a.client_id, a.subject, a.detail`,
    rows: ({ schoolId, userId }) => sql`
      from audit_entries a where a.school_id = ${schoolId} and a.actor_user_id = ${userId}`,
    order: [sql`a.at`, sql`a.id`],
  },
]
