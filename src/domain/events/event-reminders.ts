import { sql } from 'kysely'
import { inWindow, keyOf, type Reminder } from '../notifications/reminders.ts'

export const eventReminders: readonly Reminder[] = [
  {
    cause: 'event_tomorrow',
    due: (window) => sql`
      select g.user_id, ${keyOf('v.id', 'v.starts_at')} as key,
        jsonb_build_object('event', v.title, 'starts_at', v.starts_at) as facts
      from events v join event_registrations g
        on g.school_id = v.school_id and g.event_id = v.id and g.state = 'registered'
      where v.school_id = ${window.schoolId} and v.state = 'published'
        and ${inWindow(sql`v.starts_at`, window, 1)}`,
  },
]
