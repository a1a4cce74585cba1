import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { operatorData } from '../clients/scope-catalogue.ts'
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

/** Of what belongs to a scope of operators, an app sees every row. */
const all = Object.entries(operatorData).flatMap(([subject, { data, rows }]): Kind[] => {
  if (rows === undefined) return []
  const { one, many = data, table = subject, which = sql`true` } = rows
  const from = ({ schoolId }: SchoolDb) =>
    sql`from ${sql.table(table)} where school_id = ${schoolId} and ${which}`
  return [{ scope: `${subject}:read`, one, many, rows: from }]
})

const KINDS: readonly Kind[] = [
  own('course', 'courses', courseRowsOf),
  { ...own('payment', 'payments', paymentRowsOf), isNewer: true },
  { ...own('booking', 'bookings', meetingRowsOf), isNewer: true },
  own('event registration', 'event registrations', registrationRowsOf),
  own('download', 'downloads', productRowsOf),
  own('notification', 'notifications', inboxRowsOf),
  ...all,
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
    const visible = { one, many, count: rows[0]?.counts[place] ?? 0 }
    found.set(scope, [...(found.get(scope) ?? []), visible])
  })
  return found
}
