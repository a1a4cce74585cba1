import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import { changeOperation } from '../operation/object-operations.ts'
import { conflict } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { checkVersion, WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { IS_ACTIVE } from '../people/member-resource.ts'
import { schoolTimeZone } from '../schools/school.ts'
import { enrollments } from './enrollment-operations.ts'

type Enrollment = z.output<typeof enrollments.schema>

export const EXTENSIONS = ['1 month', '3 months', '6 months', '1 year', 'for life'] as const

/** Access for life has no end to move. A revoked enrollment is given again instead. */
export const canExtend = ({ state, expires_at }: Enrollment): boolean =>
  state !== 'revoked' && expires_at !== null

export const extendEnrollment = changeOperation({
  name: 'enrollments.extend',
  title: 'Extend access',
  summary:
    'Moves the end of access to a course to a later time, counted from its end, or from now if it has ended. The student is told.',
  ...WITHOUT_SCOPE,
  of: enrollments,
  fields: { by: z.enum(EXTENSIONS) },
  async change(tx, caller, { id, if_version, by }) {
    const target = { object: 'enrollment', key: { id } }
    await checkVersion(tx, 'enrollments', { ...target, ifVersion: if_version })
    const before = await loadObject(tx, caller, enrollments, id)
    if (!canExtend(before)) {
      throw conflict('wrong_state', 'This access was revoked, or has no end.')
    }
    const zone = await schoolTimeZone(tx)
    // Months of the school: in UTC the first of March in Taipei is in February, and a month later
    // is not in April.
    const later = sql`((greatest(expires_at, now()) at time zone ${zone}) + ${sql.lit(by)}::interval) at time zone ${zone}`
    await writing(tx).update('enrollments', target, {
      expires_at: by === 'for life' ? null : later,
    })
    const { expires_at } = await loadObject(tx, caller, enrollments, id)
    await tellStudent(tx, before, expires_at)
  },
})

async function tellStudent(
  tx: SchoolTx,
  { student_id, course_id }: Enrollment,
  until: string | null,
): Promise<void> {
  const course = await tx
    .from('courses')
    .select('title')
    .where('id', '=', course_id)
    .executeTakeFirstOrThrow()
  await tell(tx, 'course_extended', [student_id], { course: course.title, until })
}

/**
 * Opens these courses to a person who bought them. A course that is open to them already stays as
 * it is.
 */
export async function openPurchased(
  tx: SchoolTx,
  userId: string,
  courses: readonly string[],
): Promise<void> {
  const { rows } = await tx.run(sql<{ course: string }>`
    insert into enrollments as e (school_id, id, course_id, user_id, source)
    select ${tx.schoolId}, o.id, o.course_id, ${userId}, 'purchase'
    from unnest(${courses}::uuid[], ${courses.map(() => uuidv7())}::uuid[]) as o (course_id, id)
    on conflict (school_id, user_id, course_id) do update
      set revoked_at = null, expires_at = null, source = 'purchase'
      where not (${IS_ACTIVE})
    returning (select title from courses c where c.school_id = e.school_id and c.id = e.course_id) as course`)
  for (const { course } of rows)
    await tell(tx, 'course_enrolled', [userId], { course, until: null })
}

/** Ends access to these courses as far as it came from a purchase. Progress is kept. */
export async function closePurchased(
  tx: SchoolTx,
  userId: string,
  courses: readonly string[],
): Promise<void> {
  await tx.run(sql`
    update enrollments set revoked_at = now()
    where school_id = ${tx.schoolId} and user_id = ${userId} and course_id = any(${courses}::uuid[])
      and source = 'purchase' and revoked_at is null`)
}
