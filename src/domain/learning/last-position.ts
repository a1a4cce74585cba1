import { sql } from 'kysely'

/** The progress `p` is that of the lecture which the enrollment `e` continues with. */
export const IS_LAST_LECTURE = sql<boolean>`p.school_id = e.school_id and p.user_id = e.user_id
  and p.course_id = e.course_id and p.lecture_id = e.last_lecture_id`

/**
 * Where the member of `e` stopped in that lecture. The progress is written while they watch, the enrollment when they open a
 * lecture; a lecture that was marked as unread has no progress.
 */
export const LAST_POSITION = sql<
  number | null
>`coalesce(p.position_seconds, e.last_position_seconds)`
