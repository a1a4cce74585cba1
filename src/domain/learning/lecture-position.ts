import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { isUuid } from '../../foundation/protocol/token-format.ts'
import { IS_ACTIVE } from '../people/member-resource.ts'
import { addLearningDays } from './progress.ts'
import { progressFields } from './progress-operations.ts'

/** Characters that a person reads in a second: about 200 words in a minute. */
const READ_IN_A_SECOND = 15

/**
 * How long a text takes, for a place in it as seconds: a lecture has one kind of position, also in
 * the API. The length that the school gave counts, else that of the text.
 */
export function readingSeconds(durationSeconds: number, body: string): number {
  return durationSeconds > 0 ? durationSeconds : Math.ceil(body.length / READ_IN_A_SECOND)
}

/** The seconds of a form; undefined if they are no whole number that a lecture can have. */
export function positionIn(text: string): number | undefined {
  if (!/^\d{1,7}$/.test(text)) return undefined
  return progressFields.position_seconds.safeParse(Number(text)).data
}

/**
 * Keeps where a member is in a lecture. Sent every few seconds, so it is one statement and touches
 * one row: the enrollment stays as it is, because a new version of it would refuse what an operator
 * is saving. False if the member has not opened the lecture (opening makes the row), or their
 * access has ended.
 */
export async function keepPosition(
  db: SchoolDb,
  userId: string,
  place: { readonly slug: string; readonly lectureId: string },
  seconds: number,
): Promise<boolean> {
  if (!isUuid(place.lectureId)) return false
  const [kept] = await db.write(
    (callerHolds) => sql<{ isFirstOfHour: boolean }>`
    update lecture_progress p set position_seconds = ${seconds}, updated_at = now()
    from lecture_progress old
      join courses c on c.school_id = old.school_id and c.id = old.course_id
      join enrollments e on e.school_id = old.school_id and e.user_id = old.user_id
        and e.course_id = old.course_id
    where p.school_id = ${db.schoolId} and p.user_id = ${userId} and p.lecture_id = ${place.lectureId}
      and c.school_id = ${db.schoolId} and c.slug = ${place.slug} and p.course_id = c.id
      and old.school_id = p.school_id and old.user_id = p.user_id and old.course_id = p.course_id
      and old.lecture_id = p.lecture_id and ${IS_ACTIVE}
      and ${callerHolds}
    returning date_trunc('hour', old.updated_at) < date_trunc('hour', now()) as "isFirstOfHour"`,
  )
  if (kept === undefined) return false
  // A member who goes on with the same lecture on another day learned on that day.
  if (kept.isFirstOfHour) {
    const learned = [{ userId, at: new Date().toISOString() }]
    await db.transaction((tx) => addLearningDays(tx, learned))
  }
  return true
}
