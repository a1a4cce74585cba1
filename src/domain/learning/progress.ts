import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

export const LECTURE_STATES = ['unread', 'read', 'completed'] as const
export type LectureState = (typeof LECTURE_STATES)[number]

/** The member's states in these courses, by lecture id; a lecture that is not in the map is unread. */
export async function progressOf(
  at: SchoolDb,
  userId: string,
  courseIds: readonly string[],
): Promise<Map<string, Exclude<LectureState, 'unread'>>> {
  const { rows } = await at.run(sql<{ lecture_id: string; state: 'read' | 'completed' }>`
    select lecture_id, state from lecture_progress
    where school_id = ${at.schoolId} and user_id = ${userId}
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
