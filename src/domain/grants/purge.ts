import { sql } from 'kysely'
import { type Sweep, sweepOf } from '../../foundation/db/sweep.ts'
import { authorizationsCap } from './cap-authorizations.ts'
import { childrenCap } from './cap-children.ts'

/** A refresh token that is presented this long after it ended is still recognised as a replay. */
const REPLAY_MEMORY_DAYS = 7
/** A code that is presented again within a day of its end still ends the authorization that it made. */
const CODE_MEMORY_DAYS = 1

const id = { column: 'id', type: 'uuid' } as const
const longAgo = sql`now() - make_interval(days => ${REPLAY_MEMORY_DAYS})`

/**
 * Crosses schools. A pair that ended has no live ancestor that a later first use would have to
 * retire (whatever ended it ended those too, and they expire before it), so the chain may break here.
 */
const pairs = sweepOf({
  table: 'token_pairs',
  key: id,
  dead: sql`t.revoked_at < ${longAgo} or t.refresh_expires_at < ${longAgo} or exists (
    select from authorizations a where a.id = t.authorization_id and a.revoked_at < ${longAgo})`,
})

/** An authorization is made together with its first pair, so one without pairs has outlived all of them. */
const authorizations = sweepOf({
  table: 'authorizations',
  key: id,
  dead: sql`t.created_at < ${longAgo}
    and not exists (select from token_pairs p where p.authorization_id = t.id)`,
})

const codes = sweepOf({
  table: 'authorization_codes',
  key: id,
  dead: sql`t.expires_at < now() - make_interval(days => ${CODE_MEMORY_DAYS})`,
})

/** In this order, because each sweep frees rows for the next. */
export const grantSweeps: readonly Sweep[] = [
  childrenCap,
  authorizationsCap,
  pairs,
  authorizations,
  codes,
]
