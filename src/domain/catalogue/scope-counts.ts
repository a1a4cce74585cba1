import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { productRowsOf } from '../commerce/bought-access.ts'
import { paymentRowsOf } from '../commerce/payments-of-member.ts'
import { meetingRowsOf } from '../consulting/meetings-of-member.ts'
import { registrationRowsOf } from '../events/registrations-of-member.ts'
import { courseRowsOf } from '../learning/enrolled-courses.ts'
import { inboxRowsOf } from '../notifications/inbox.ts'
import type { SchoolVariant } from '../schools/school.ts'

/** How far each kind is counted: a person wants to know whether it is three or many. */
export const MOST_COUNTED = 100

/** How many objects of one kind an app would see; more than `MOST_COUNTED` means many. */
export interface VisibleCount {
  readonly one: string
  readonly many: string
  readonly count: number
}

interface Kind {
  readonly scope: string
  readonly one: string
  readonly many: string
  readonly rows: (db: SchoolDb, userId: string) => RawBuilder<unknown>
  /** Older origins do not give it to apps. */
  readonly isNewer?: true
}

const own = (one: string, many: string, rows: Kind['rows']): Kind => ({
  scope: 'account:read',
  one,
  many,
  rows,
})

/** A table of which an operator's app sees every row. */
const all = (scope: string, one: string, many: string, table: string, which = sql`true`): Kind => ({
  scope,
  one,
  many,
  rows: ({ schoolId }) => sql`from ${sql.table(table)} where school_id = ${schoolId} and ${which}`,
})

const KINDS: readonly Kind[] = [
  own('course', 'courses', courseRowsOf),
  { ...own('payment', 'payments', paymentRowsOf), isNewer: true },
  { ...own('booking', 'bookings', meetingRowsOf), isNewer: true },
  own('event registration', 'event registrations', registrationRowsOf),
  own('download', 'downloads', productRowsOf),
  own('notification', 'notifications', inboxRowsOf),
  all('courses:read', 'course', 'courses', 'courses'),
  all('students:read', 'student', 'students', 'school_members', sql`'student' = any(roles)`),
  all('members:read', 'member', 'members', 'school_members', sql`roles <> '{}'`),
  all('curriculum:read', 'lecture', 'lectures', 'lectures'),
  all('orders:read', 'order', 'orders', 'orders'),
  all('events:read', 'event', 'events', 'events'),
  all('membership_plans:read', 'membership plan', 'membership plans', 'membership_plans'),
  all('coupons:read', 'coupon', 'coupons', 'coupons'),
  all('posts:read', 'post', 'posts', 'posts'),
  all('subscriptions:read', 'subscription', 'subscriptions', 'subscriptions'),
  all('digital_products:read', 'digital product', 'digital products', 'digital_products'),
  all('comments:read', 'comment', 'comments', 'comments'),
  all('lecturers:read', 'lecturer', 'lecturers', 'lecturers'),
  all('forms:read', 'form', 'forms', 'forms'),
  all('pages:read', 'page', 'pages', 'pages'),
]

/**
 * What an app would see now with each of these scopes, in one statement. A scope that is about no
 * rows, such as `email`, is absent. The counts of a member are those of the Member API.
 */
export async function countVisible(
  db: SchoolDb,
  userId: string,
  scopes: readonly string[],
  variant: SchoolVariant,
): Promise<ReadonlyMap<string, readonly VisibleCount[]>> {
  const kinds = KINDS.filter(
    ({ scope, isNewer }) => scopes.includes(scope) && !(isNewer && variant === 'older'),
  )
  if (kinds.length === 0) return new Map()
  const counts = kinds.map(
    ({ rows }) => sql`(select count(*)::int from (
      select 1 ${rows(db, userId)} limit ${sql.lit(MOST_COUNTED + 1)}) counted)`,
  )
  const { rows } = await db.run(
    sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`,
  )
  const found = new Map<string, VisibleCount[]>()
  kinds.forEach(({ scope, one, many }, place) => {
    const behind = { one, many, count: rows[0]?.counts[place] ?? 0 }
    found.set(scope, [...(found.get(scope) ?? []), behind])
  })
  return found
}
