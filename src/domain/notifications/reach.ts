import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { CAUSES, type CauseName } from './causes.ts'
import { reached } from './notify.ts'

/** More people than this are not counted. */
export const MOST_COUNTED = 10_000

/** What is told, and a query of rows with `user_id`: those whom it concerns. */
export interface Audience {
  readonly cause: CauseName | 'announcement'
  readonly people: (db: SchoolDb) => RawBuilder<unknown>
}

export const oneMember = (cause: CauseName, id: string): Audience => ({
  cause,
  people: () => sql`select ${id}::uuid as user_id`,
})

/** How many people something reaches by each channel; one more than counted means more. */
export interface Reach {
  readonly people: number
  readonly inbox: number
  readonly email: number
  /** Whether the school switched it off. */
  readonly isQuiet: boolean
}

export async function reachOf(db: SchoolDb, { cause, people }: Audience): Promise<Reach> {
  const topic = cause === 'announcement' ? 'announcements' : CAUSES[cause].topic
  const some = sql`(select w.user_id from (${people(db)}) w limit ${sql.lit(MOST_COUNTED + 1)})`
  const { rows } = await db.run(sql<Reach>`
    select count(*)::int as people, count(*) filter (where c.in_app)::int as inbox,
      count(*) filter (where c.email)::int as email,
      (select ${cause}::text = any (s.quiet_causes) from schools s where s.id = ${db.schoolId}) as "isQuiet"
    from (${reached(db, topic, some)}) c`)
  return rows[0] ?? { people: 0, inbox: 0, email: 0, isQuiet: false }
}
