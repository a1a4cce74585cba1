import { sql } from 'kysely'
import { inWindow, keyOf, type Reminder } from '../notifications/reminders.ts'
import { IS_ACTIVE } from '../people/member-resource.ts'

export const courseReminders: readonly Reminder[] = [
  {
    cause: 'course_ends_soon',
    // Not for access that was given for little more than a week.
    due: (window) => sql`
      select e.user_id, ${keyOf('e.id', 'e.expires_at')} as key,
        jsonb_build_object('course', c.title, 'until', e.expires_at) as facts
      from enrollments e join courses c on c.school_id = e.school_id and c.id = e.course_id
      where e.school_id = ${window.schoolId} and e.revoked_at is null and c.state <> 'draft'
        and ${inWindow(sql`e.expires_at`, window, 7)}
        and e.enrolled_at < e.expires_at - interval '8 days'`,
  },
  {
    cause: 'lecture_added',
    due: (window) => sql`
      select e.user_id, ${keyOf('l.id', 'l.announce_at')} as key,
        jsonb_build_object('course', c.title, 'lecture', l.title,
          'path', '/courses/' || c.slug || '/lectures/' || l.id) as facts
      from lectures l
        join courses c on c.school_id = l.school_id and c.id = l.course_id
          and c.state = 'published' and c.published_at < l.announce_at
        join enrollments e on e.school_id = l.school_id and e.course_id = l.course_id
          and e.enrolled_at < l.announce_at and ${IS_ACTIVE}
      where l.school_id = ${window.schoolId} and ${inWindow(sql`l.announce_at`, window, 0)}
        and l.unlock_after_days is null and (l.unlock_at is null or l.unlock_at <= now())`,
  },
]
