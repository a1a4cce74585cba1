import { sql } from 'kysely'
import { oldestFirst, type Sweep, sweepOf } from '../../foundation/db/sweep.ts'
import { deletionSweep } from './deletion/due-deletions.ts'
import { CHANGE_IS_DEAD } from './email-change/email-change.ts'
import { lostFactorSweep } from './factors/lost-factors.ts'
import { MAIL_IS_DEAD } from './outgoing-mail.ts'

const id = { column: 'id', type: 'uuid' } as const

/**
 * Crosses schools: people whose deletion is due, and factors that were lost; sessions, trusted browsers, links in mails,
 * changes of an email, mails and failure counters that have expired.
 */
export const peopleSweeps: readonly Sweep[] = [
  deletionSweep,
  lostFactorSweep,
  oldestFirst({
    table: 'browser_sessions',
    key: ['id'],
    order: 'expires_at',
    dead: sql`t.expires_at < now()`,
  }),
  oldestFirst({
    table: 'trusted_devices',
    key: ['id'],
    order: 'expires_at',
    dead: sql`t.expires_at < now()`,
  }),
  sweepOf({ table: 'password_resets', key: id, dead: sql`t.expires_at < now()` }),
  sweepOf({ table: 'notice_links', key: id, dead: sql`t.expires_at < now()` }),
  sweepOf({ table: 'email_changes', key: id, dead: CHANGE_IS_DEAD }),
  sweepOf({ table: 'outgoing_mails', key: id, dead: MAIL_IS_DEAD }),
  sweepOf({
    table: 'sign_in_throttles',
    key: { column: 'bucket', type: 'bytea' },
    dead: sql`t.window_ends_at < now()`,
  }),
]
