import { type RawBuilder, sql } from 'kysely'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { IS_LISTED } from '../learning/active-enrollment.ts'

/** A service that is offered to a member because of one of their courses. */
export interface OfferedService extends Keyed {
  readonly id: string
  readonly title: string
  readonly description: string
}

/** The service is offered now, for one of the member's courses: the list that `enrolledCoursesOf` gives. */
function offeredTo(at: SchoolDb, userId: string): RawBuilder<boolean> {
  return sql<boolean>`
    s.school_id = ${at.schoolId} and s.state = 'offered' and exists (
      select from consulting_service_courses o
        join enrollments e on e.school_id = o.school_id and e.course_id = o.course_id
      where o.school_id = s.school_id and o.service_id = s.id and e.user_id = ${userId}
        and ${IS_LISTED})`
}

export async function servicesFor(
  at: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<OfferedService[]> {
  const { rows } = await at.run(
    sql<{ id: string; title: string; description: string; created_at: Date }>`
    select s.id, s.title, s.description, s.created_at
    from consulting_services s
    where ${offeredTo(at, userId)} and ${inRange('s.created_at', 's.id', range)}
    ${rangeOrder('s.created_at', 's.id', range)}`,
  )
  const services = rows.map(({ created_at, ...service }) => ({
    key: { at: created_at, id: service.id },
    ...service,
  }))
  return newestFirst(services, range)
}

export async function countServicesFor(at: SchoolDb, userId: string): Promise<number> {
  const { rows } = await at.run(sql<{ total: number }>`
    select count(*) as total from consulting_services s where ${offeredTo(at, userId)}`)
  return rows[0]?.total ?? 0
}
