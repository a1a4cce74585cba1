import { sql } from 'kysely'
import { inWindow, keyOf, type Reminder } from '../notifications/reminders.ts'

export const meetingReminders: readonly Reminder[] = [
  {
    cause: 'meeting_tomorrow',
    // By seats, or by the roster of the group: a class has no seats.
    due: (window) => sql`
      select a.user_id, ${keyOf('m.id', 'm.starts_at')} as key,
        jsonb_build_object('meeting', m.title, 'starts_at', m.starts_at) as facts
      from consulting_meetings m cross join lateral (
        select s.user_id from meeting_seats s where s.school_id = m.school_id and s.meeting_id = m.id
        union all
        select g.user_id from study_group_members g
        where g.school_id = m.school_id and g.group_id = m.study_group_id) a
      where m.school_id = ${window.schoolId} and m.state <> 'canceled'
        and ${inWindow(sql`m.starts_at`, window, 1)}`,
  },
]
