import { type RawBuilder, sql } from 'kysely'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { IS_LISTED } from '../people/member-resource.ts'
import { VIDEO_URL_COLUMN } from './curriculum-resource.ts'
import { IS_LAST_LECTURE, LAST_POSITION } from './progress.ts'

/** A course with the enrollment of one member. */
export interface EnrolledCourse extends Keyed {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly createdAt: Date
  readonly outlineVersion: number
  readonly enrolledAt: Date
  readonly expiresAt: Date | null
  readonly lastWatched: { readonly lectureId: string; readonly positionSeconds: number } | null
  /** The address of the last watched lecture, if it is a video. */
  readonly lastVideoUrl: string | null
  /** The time of the database, by which expiry and locks are decided. */
  readonly readAt: Date
}

type EnrolledCourseRow = Omit<EnrolledCourse, 'key' | 'lastWatched'> & {
  readonly enrollmentId: string
  readonly lastLectureId: string | null
  readonly lastPosition: number | null
}

/** A member's courses, latest enrollment first: expired enrollments included, revoked ones not. */
export async function enrolledCoursesOf(
  db: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<EnrolledCourse[]> {
  const { rows } = await db.run(sql<EnrolledCourseRow>`
    ${selectOf(db, userId)} and ${inRange('e.enrolled_at', 'e.id', range)}
    ${rangeOrder('e.enrolled_at', 'e.id', range)}`)
  return newestFirst(rows.map(courseFromRow), range)
}

/**
 * Courses among which one is searched that the member continues: not all, because a member may have
 * thousands.
 */
const MOST_IN_USE = 50

/**
 * The courses that a member is in: the latest opened or enrolled first, those whose access has
 * ended last.
 */
export async function coursesInUse(
  db: SchoolDb,
  userId: string,
  limit: number,
): Promise<EnrolledCourse[]> {
  const { rows } = await db.run(sql<EnrolledCourseRow>`
    ${selectOf(db, userId)} and e.id = any(array(
      select e.id ${courseRowsOf(db, userId)}
      order by e.enrolled_at desc, e.id desc limit ${sql.lit(MOST_IN_USE)}))
    order by (e.expires_at <= now()) is true, greatest(e.enrolled_at, e.last_watched_at) desc, e.id desc
    limit ${limit}`)
  return rows.map(courseFromRow)
}

/** One course by its slug; undefined if the member is not enrolled. */
export async function findEnrolledCourse(
  db: SchoolDb,
  userId: string,
  slug: string,
): Promise<EnrolledCourse | undefined> {
  const { rows } = await db.run(
    sql<EnrolledCourseRow>`${selectOf(db, userId)} and c.slug = ${slug}`,
  )
  return rows.map(courseFromRow)[0]
}

function selectOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`
    select e.id as "enrollmentId", e.course_id as id, c.slug, c.title, c.created_at as "createdAt",
      c.outline_version as "outlineVersion", e.enrolled_at as "enrolledAt", e.expires_at as "expiresAt",
      e.last_lecture_id as "lastLectureId", ${LAST_POSITION} as "lastPosition",
      ${VIDEO_URL_COLUMN} as "lastVideoUrl", now() as "readAt"
    from enrollments e join courses c on c.school_id = e.school_id and c.id = e.course_id
      left join lecture_progress p on ${IS_LAST_LECTURE}
      left join lectures l on l.school_id = e.school_id and l.id = e.last_lecture_id
    where e.school_id = ${db.schoolId} and e.user_id = ${userId} and ${IS_LISTED}`
}

function courseFromRow(row: EnrolledCourseRow): EnrolledCourse {
  const { enrollmentId, lastLectureId, lastPosition, ...course } = row
  return {
    ...course,
    key: { at: course.enrolledAt, id: enrollmentId },
    lastWatched:
      lastLectureId === null
        ? null
        : { lectureId: lastLectureId, positionSeconds: lastPosition ?? 0 },
  }
}

export async function countEnrolledCoursesOf(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total ${courseRowsOf(db, userId)}`)
  return rows[0]?.total ?? 0
}

/** The rows that are counted as courses of a member. */
export function courseRowsOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`from enrollments e
    where e.school_id = ${db.schoolId} and e.user_id = ${userId} and ${IS_LISTED}`
}
