import { sql } from 'kysely'
import { type Sweep, sweepOf } from '../../foundation/db/sweep.ts'

const id = { column: 'id', type: 'uuid' } as const

/** Crosses schools: sessions, reset links and failure counters that have expired. */
export const peopleSweeps: readonly Sweep[] = [
  sweepOf({ table: 'browser_sessions', key: id, dead: sql`t.expires_at < now()` }),
  sweepOf({ table: 'password_resets', key: id, dead: sql`t.expires_at < now()` }),
  sweepOf({
    table: 'sign_in_throttles',
    key: { column: 'bucket', type: 'bytea' },
    dead: sql`t.window_ends_at < now()`,
  }),
]
