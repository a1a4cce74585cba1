import { sql } from 'kysely'
import { IS_LAST_LECTURE, LAST_POSITION } from '../../learning/last-position.ts'
import type { Section } from './section.ts'

/** What the person learned, wrote, booked and was told. */
export const LEARNING_SECTIONS: readonly Section[] = [
  {
    name: 'enrollments',
    title: 'Courses that you are enrolled in',
    tables: ['enrollments'],
    fields: sql`c.title as course, e.source, e.enrolled_at, e.expires_at, e.revoked_at, l.title as last_lecture,
      ${LAST_POSITION} as last_position_seconds, e.last_watched_at`,
    rows: ({ schoolId, userId }) => sql`
      from enrollments e join courses c on c.school_id = e.school_id and c.id = e.course_id
        left join lectures l on l.school_id = e.school_id and l.id = e.last_lecture_id
        left join lecture_progress p on ${IS_LAST_LECTURE}
      where e.school_id = ${schoolId} and e.user_id = ${userId}`,
    order: [sql`e.enrolled_at`, sql`e.id`],
  },
  {
    name: 'progress',
    title: 'Your progress in lectures',
    tables: ['lecture_progress'],
    fields: sql`c.title as course, l.title as lecture, p.state, p.position_seconds, p.first_read_at, p.completed_at`,
    rows: ({ schoolId, userId }) => sql`
      from lecture_progress p join courses c on c.school_id = p.school_id and c.id = p.course_id
        join lectures l on l.school_id = p.school_id and l.id = p.lecture_id
      where p.school_id = ${schoolId} and p.user_id = ${userId}`,
    order: [sql`p.first_read_at`, sql`p.lecture_id`],
  },
  {
    name: 'learning_days',
    title: 'Days on which you learned',
    tables: ['learning_days'],
    fields: sql`d.day`,
    rows: ({ schoolId, userId }) => sql`
      from learning_days d where d.school_id = ${schoolId} and d.user_id = ${userId}`,
    order: [sql`d.day`, sql`d.day`],
  },
  {
    name: 'comments',
    title: 'Your comments',
    tables: ['comments'],
    fields: sql`l.title as lecture, c.body, c.created_at, c.hidden_at`,
    rows: ({ schoolId, userId }) => sql`
      from comments c join lectures l on l.school_id = c.school_id and l.id = c.lecture_id
      where c.school_id = ${schoolId} and c.user_id = ${userId}`,
    order: [sql`c.created_at`, sql`c.id`],
  },
  {
    name: 'meetings',
    title: 'Meetings that you booked',
    tables: ['meeting_seats'],
    fields: sql`m.title, m.state, m.starts_at, m.ends_at, s.booked_at`,
    rows: ({ schoolId, userId }) => sql`
      from meeting_seats s join consulting_meetings m on m.school_id = s.school_id and m.id = s.meeting_id
      where s.school_id = ${schoolId} and s.user_id = ${userId}`,
    order: [sql`s.booked_at`, sql`s.meeting_id`],
  },
  {
    name: 'study_groups',
    title: 'Study groups that you belong to',
    tables: ['study_group_members'],
    fields: sql`g.name, r.joined_at`,
    rows: ({ schoolId, userId }) => sql`
      from study_group_members r join study_groups g on g.school_id = r.school_id and g.id = r.group_id
      where r.school_id = ${schoolId} and r.user_id = ${userId}`,
    order: [sql`r.joined_at`, sql`r.group_id`],
  },
  {
    name: 'event_registrations',
    title: 'Events that you registered for',
    tables: ['event_registrations'],
    fields: sql`e.title, e.starts_at, r.state, r.registered_at, r.canceled_at`,
    rows: ({ schoolId, userId }) => sql`
      from event_registrations r join events e on e.school_id = r.school_id and e.id = r.event_id
      where r.school_id = ${schoolId} and r.user_id = ${userId}`,
    order: [sql`r.registered_at`, sql`r.id`],
  },
  {
    name: 'form_answers',
    title: 'Forms that you filled in',
    tables: ['form_submissions'],
    fields: sql`f.title as form, s.answers, s.submitted_at`,
    rows: ({ schoolId, userId }) => sql`
      from form_submissions s join forms f on f.school_id = s.school_id and f.id = s.form_id
      where s.school_id = ${schoolId} and s.user_id = ${userId}`,
    order: [sql`s.submitted_at`, sql`s.id`],
  },
  {
    name: 'notifications',
    title: 'What you were told',
    tables: ['notifications'],
    fields: sql`n.kind, n.title, n.body, n.url, n.created_at, n.read_at`,
    rows: ({ schoolId, userId }) => sql`
      from notifications n where n.school_id = ${schoolId} and n.user_id = ${userId}`,
    order: [sql`n.created_at`, sql`n.id`],
  },
  {
    name: 'notification_settings',
    title: 'What you want to be told',
    tables: ['notification_subscriptions'],
    fields: sql`n.topic, n.channel, n.enabled, n.updated_at`,
    rows: ({ schoolId, userId }) => sql`
      from notification_subscriptions n where n.school_id = ${schoolId} and n.user_id = ${userId}`,
    order: [sql`n.updated_at`, sql`n.topic || ' ' || n.channel`],
  },
]
