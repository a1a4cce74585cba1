import type { Insertable, Transaction } from 'kysely'
import type { DB } from '../foundation/db/schema.generated.ts'

/** All tables that the demo world fills, each after the tables that it references. */
const PARENTS_FIRST = [
  'schools',
  'appearances',
  'signing_keys',
  'users',
  'school_members',
  'clients',
  'lecturers',
  'courses',
  'sections',
  'lectures',
  'course_lecturers',
  'enrollments',
  'lecture_progress',
  'comments',
  'events',
  'event_registrations',
  'digital_products',
  'digital_product_accesses',
  'membership_plans',
  'membership_plan_courses',
  'subscriptions',
  'coupons',
  'orders',
  'order_items',
  'coupon_redemptions',
  'payments',
  'payment_lines',
  'payment_adjustments',
  'invoices',
  'consulting_services',
  'consulting_service_courses',
  'consulting_slots',
  'study_groups',
  'study_group_members',
  'consulting_meetings',
  'meeting_seats',
  'notifications',
  'notification_subscriptions',
  'posts',
  'pages',
  'forms',
  'form_submissions',
  'learning_days',
] as const satisfies readonly (keyof DB)[]

type DemoTable = (typeof PARENTS_FIRST)[number]

/** The protocol counts parameters with 16 bits, and no table has 60 columns. */
const ROWS_PER_STATEMENT = 1000

/** Collects rows in memory, so that they can be added in any order. */
export class RowSet {
  readonly #rows = new Map<DemoTable, object[]>()

  add<T extends DemoTable>(table: T, ...rows: readonly Insertable<DB[T]>[]): void {
    const known = this.#rows.get(table)
    if (known === undefined) this.#rows.set(table, [...rows])
    else known.push(...rows)
  }

  /** All collected rows, each table after those that it references. */
  tables(): readonly (readonly [table: DemoTable, rows: readonly object[]])[] {
    return PARENTS_FIRST.map((table) => [table, this.#rows.get(table) ?? []] as const)
  }

  async insert(tx: Transaction<DB>): Promise<void> {
    for (const [table, rows] of this.tables()) {
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        // `add` checks the type of each row against its table; the map loses that pairing.
        const values = rows.slice(from, from + ROWS_PER_STATEMENT) as never
        await tx.insertInto(table).values(values).execute()
      }
    }
  }
}
