import { sql } from 'kysely'
import { oldestFirst, type Sweep } from '../../foundation/db/sweep.ts'
import { LIFETIME } from './repeated-write.ts'

/** Crosses schools: answers older than their lifetime. */
export const idempotencySweep: Sweep = oldestFirst({
  table: 'idempotent_answers',
  key: ['school_id', 'key_hash'],
  order: 'answered_at',
  dead: sql`t.answered_at < now() - ${sql.lit(LIFETIME)}::interval`,
})
