import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import { isLive } from '../../grants/connected-apps.ts'
import { ITS_CLIENT } from '../../grants/people-of-app.ts'
import type { FigurePart } from './figure-part.ts'

interface Total {
  readonly name: string
  /** The rows that must be looked at. */
  rows(tx: SchoolTx): RawBuilder<unknown>
  /** What is set in `school_figures`. */
  counted(tx: SchoolTx): RawBuilder<unknown>
}

function total({ name, rows, counted }: Total): FigurePart {
  return {
    name,
    async findLarge(tx, keys, most) {
      const found = await tx.run(sql<{ many: number }>`
        select count(*)::int as many from (select ${rows(tx)} limit ${most + 1}) few`)
      return (found.rows[0]?.many ?? 0) > most ? keys : []
    },
    async count(tx) {
      await tx.run(sql`
        update school_figures set ${counted(tx)} where school_id = ${tx.schoolId}`)
    },
    keys: () => sql`select '' as key`,
  }
}

const studentRows = (tx: SchoolTx) => sql`from school_members m where m.school_id = ${tx.schoolId}`
const subscriptionRows = (tx: SchoolTx) =>
  sql`from subscriptions s where s.school_id = ${tx.schoolId}`
const authorizationRows = (tx: SchoolTx) =>
  sql`from authorizations a ${ITS_CLIENT} where a.school_id = ${tx.schoolId}`

/** Marked when its number was read and was old, not by writes. */
export const CONNECTED = 'connected'

export const totalParts: readonly FigurePart[] = [
  total({
    name: 'students',
    rows: studentRows,
    counted: (tx) =>
      sql`student_count = (select count(*) ${studentRows(tx)} and 'student' = any (m.roles))`,
  }),
  total({
    name: 'subscriptions',
    rows: subscriptionRows,
    counted: (tx) =>
      sql`active_subscription_count = (select count(*) ${subscriptionRows(tx)} and s.state = 'active')`,
  }),
  total({
    name: CONNECTED,
    rows: authorizationRows,
    counted: (tx) => sql`
      connected_counted_at = now(),
      connected_person_count = (select count(distinct a.user_id) ${authorizationRows(tx)} and ${isLive})`,
  }),
]
