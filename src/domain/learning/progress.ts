import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'

export const LECTURE_STATES = ['unread', 'read', 'completed'] as const
export type LectureState = (typeof LECTURE_STATES)[number]

/**
 * The member's states in these courses, by lecture id; a lecture that is not in the map is unread.
 */
export async function progressOf(
  db: SchoolDb,
  userId: string,
  courseIds: readonly string[],
): Promise<Map<string, Exclude<LectureState, 'unread'>>> {
  const { rows } = await db.run(sql<{ lecture_id: string; state: 'read' | 'completed' }>`
    select lecture_id, state from lecture_progress
    where school_id = ${db.schoolId} and user_id = ${userId}
      and course_id = any(${courseIds}::uuid[])`)
  return new Map(rows.map(({ lecture_id, state }) => [lecture_id, state]))
}

export interface CourseProgress {
  readonly completedLectures: number
  readonly totalLectures: number
  readonly percent: number
}

/** Rounded down, so that 100 means that every lecture is completed. */
export function courseProgress(completedLectures: number, totalLectures: number): CourseProgress {
  const percent = totalLectures === 0 ? 0 : Math.floor((completedLectures * 100) / totalLectures)
  return { completedLectures, totalLectures, percent }
}

/** The progress `p` is that of the lecture which the enrollment `e` continues with. */
export const IS_LAST_LECTURE = sql<boolean>`p.school_id = e.school_id and p.user_id = e.user_id
  and p.course_id = e.course_id and p.lecture_id = e.last_lecture_id`

/**
 * Where the member of `e` stopped in that lecture. The progress is written while they watch, the
 * enrollment when they open a lecture; a lecture that was marked as unread has no progress.
 */
export const LAST_POSITION = sql<
  number | null
>`coalesce(p.position_seconds, e.last_position_seconds)`

interface Step {
  readonly id: string
  readonly state: LectureState
  readonly isLocked: boolean
}

/**
 * The lecture with which a member continues: the last watched one if it is unfinished, else the
 * first open and unfinished one after it, else the first such one of the course. Undefined if there
 * is none.
 */
export function nextLecture<L extends Step>(
  lectures: readonly L[],
  lastWatchedId: string | undefined,
): L | undefined {
  const last = lectures.findIndex(({ id }) => id === lastWatchedId)
  const isOpen = ({ state, isLocked }: Step): boolean => state !== 'completed' && !isLocked
  return lectures.slice(Math.max(last, 0)).find(isOpen) ?? lectures.find(isOpen)
}

/** Records the days on which these students learned, in the school's time zone. */
export async function addLearningDays(
  tx: SchoolTx,
  learned: readonly { readonly userId: string; readonly at: string }[],
): Promise<void> {
  await tx.run(sql`
    insert into learning_days (school_id, day, user_id)
    select distinct s.id, (l.at at time zone s.time_zone)::date, l.user_id
    from schools s,
      unnest(${learned.map(({ userId }) => userId)}::uuid[], ${learned.map(({ at }) => at)}::timestamptz[])
        as l (user_id, at)
    where s.id = ${tx.schoolId}
    order by 2, 3 on conflict do nothing`)
}
