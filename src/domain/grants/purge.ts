import { sql } from 'kysely'
import { oldestFirst, type Sweep, stepOf, sweepOf } from '../../foundation/db/sweep.ts'
import { authorizationsCap } from './cap-authorizations.ts'
import { childrenCap } from './cap-children.ts'
import { FIRST_ID, lowestIdAt } from './ids-in-time.ts'
import { REFRESH_TOKEN_IDLE_DAYS } from './lifetimes.ts'
import { ACTIVITY_DAYS } from './read-activity.ts'

/** A refresh token that is presented this long after it ended is still recognised as a replay. */
const REPLAY_MEMORY_DAYS = 7
/** A code that is presented again within a day of its end still ends the authorization that it made. */
const CODE_MEMORY_DAYS = 1

const longAgo = sql`now() - make_interval(days => ${sql.lit(REPLAY_MEMORY_DAYS)})`
const DAY_MS = 86_400_000

/**
 * When a pair is looked at, in days after it was issued. A client that is in use retires its pairs within hours, so most are
 * dead at the first look. A pair that ends later is removed at the next look. So the purge costs what was issued, however
 * many pairs live; an index on the time of the end would make every first use of a token dearer. The id of a pair tells
 * when it was issued.
 */
const LOOKS_AFTER_DAYS = [REPLAY_MEMORY_DAYS + 0.25, 15, 30, 60]
/** From then on every pair is dead, so each round begins with the oldest. */
const ALL_DEAD_AFTER_DAYS = REFRESH_TOKEN_IDLE_DAYS + REPLAY_MEMORY_DAYS + 1

interface Page {
  readonly looked: number
  readonly removed: number
  readonly authorizations: number
  readonly last: string | null
}

/**
 * Crosses schools. A pair that ended has no live ancestor that a later first use would have to
 * retire (whatever ended it ended those too, and they expire before it), so the chain may break here. An authorization
 * goes with its last pair; one that was used lately has a pair that is not dead, so its pairs are not looked through.
 */
const pairsAfter = (days: number, position: string | undefined): Sweep => ({
  name: 'token_pairs',
  ...(position === undefined ? {} : { position }),
  async step(db, { after, size, now }) {
    const { rows } = await sql<Page>`
      with page as materialized (
        select id from token_pairs
        where id > ${after ?? FIRST_ID} and id < ${lowestIdAt(now - days * DAY_MS)}
        order by id limit ${sql.lit(size)}),
      dead as materialized (
        select t.id, t.authorization_id from token_pairs t
        where t.id = any (array(select id from page)) and (
          t.revoked_at < ${longAgo} or t.refresh_expires_at < ${longAgo} or exists (
            select from authorizations a where a.id = t.authorization_id and a.revoked_at < ${longAgo}))
        for update of t skip locked),
      gone as (
        delete from token_pairs where id = any (array(select id from dead)) returning 1),
      outlived as materialized (
        select a.id from authorizations a
        where a.id = any (array(select authorization_id from dead)) and a.created_at < ${longAgo}
          and coalesce(a.last_used_at, a.created_at) < ${longAgo}
          and not exists (
            select from token_pairs p
            where p.authorization_id = a.id and p.id not in (select id from dead))
        for update of a skip locked),
      ended as (
        delete from authorizations where id = any (array(select id from outlived)) returning 1)
      select (select count(*) from page)::int as looked, (select count(*) from gone)::int as removed,
        (select count(*) from ended)::int as authorizations,
        (select id::text from page order by id desc limit 1) as last`.execute(db)
    const removedToo = { authorizations: rows[0]?.authorizations ?? 0 }
    const step = { ...stepOf(size, rows[0]), removedToo }
    // Further pairs reach this age later: the next round goes on behind the last one.
    return position === undefined ? step : { ...step, last: rows[0]?.last ?? after }
  },
})

/**
 * An authorization is made together with its first pair, so one without pairs has outlived all of them. Usually it went with
 * the last one, unless its row was locked: a look at a few rows in each round finds those.
 */
const authorizations: Sweep = {
  ...sweepOf({
    table: 'authorizations',
    key: { column: 'id', type: 'uuid' },
    dead: sql`t.created_at < ${longAgo}
      and not exists (select from token_pairs p where p.authorization_id = t.id)`,
  }),
  position: 'authorizations',
  steps: 1,
}

const codes = oldestFirst({
  table: 'authorization_codes',
  key: ['id'],
  order: 'id',
  dead: sql`t.expires_at < now() - make_interval(days => ${sql.lit(CODE_MEMORY_DAYS)})`,
})

/** The day of a school in the far east or west may begin a day earlier or later than here. */
const activityOver = sql`t.day < (now() at time zone 'utc')::date - ${sql.lit(ACTIVITY_DAYS + 1)}`

const activity = oldestFirst({
  table: 'app_activity',
  key: ['school_id', 'authorization_id', 'kind', 'day'],
  order: 'day',
  dead: activityOver,
})

const activitySums = oldestFirst({
  table: 'app_activity_sums',
  key: ['school_id', 'client_id', 'kind', 'day'],
  order: 'day',
  dead: activityOver,
})

export const grantSweeps: readonly Sweep[] = [
  childrenCap,
  authorizationsCap,
  ...LOOKS_AFTER_DAYS.map((days) => pairsAfter(days, `token_pairs after ${days} days`)),
  pairsAfter(ALL_DEAD_AFTER_DAYS, undefined),
  authorizations,
  codes,
  activity,
  activitySums,
]
