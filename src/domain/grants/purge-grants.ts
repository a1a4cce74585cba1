import { sql } from 'kysely'
import { startOfUuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import { isSuspended } from '../../foundation/db/school-clock.ts'
import { oldestFirst, type Sweep, stepOf, sweepOf } from '../../foundation/db/sweep.ts'
import { auditInsert } from '../audit/audit.ts'
import { ACTIVITY_DAYS } from './read-activity.ts'
import { REFRESH_TOKEN_IDLE_DAYS } from './token-pair.ts'

// Pairs and authorizations have ids that begin with the time when they were made, so the primary
// key finds those of a time.

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Ids that were made before this time are lower. */
export function lowestIdAt(time: number): string {
  return `${startOfUuidv7(Math.max(0, Math.floor(time)))}000-8000-000000000000`
}

/** Live authorizations of one person for one application: devices, browsers, installations. */
export const MOST_AUTHORIZATIONS = 500
const ENDED_AT_ONCE = 1000
/** By then the transaction that made it has ended, also on a process whose clock is behind. */
const SETTLED_MS = 600_000

interface Holdings {
  readonly school_id: string
  readonly client_id: string
  readonly user_id: string
}

/**
 * A program that authorizes at every start, or a member with a script, adds an authorization each
 * time, and each lives for months. The newest five hundred stay, and before them those with a token
 * that works: a program that revokes its tokens when it ends must not sign out a device that rests.
 * The sweep looks once at each authorization, soon after it was made; an index finds the others of
 * its person.
 */
const authorizationsCap: Sweep = {
  name: 'surplus_authorizations',
  position: 'surplus_authorizations',
  async step(db, { after, size, now }) {
    const { rows } = await sql<{ looked: number; last: string | null; crowds: Holdings[] }>`
      with page as materialized (
        select id, school_id, client_id, user_id, revoked_at from authorizations
        where id > ${after ?? FIRST_ID} and id < ${lowestIdAt(now - SETTLED_MS)}
        order by id limit ${sql.lit(size)}),
      holders as materialized (
        select distinct school_id, client_id, user_id from page
        where user_id is not null and revoked_at is null),
      crowds as (
        select h.school_id, h.client_id, h.user_id from holders h
        where (select count(*) from (
          select from authorizations a
          where a.school_id = h.school_id and a.user_id = h.user_id and a.client_id = h.client_id
            and a.revoked_at is null
          limit ${sql.lit(MOST_AUTHORIZATIONS + 1)}) live) > ${MOST_AUTHORIZATIONS})
      select (select count(*) from page)::int as looked,
        (select id::text from page order by id desc limit 1) as last,
        (select coalesce(json_agg(crowds), '[]') from crowds) as crowds`.execute(db)
    const [row] = rows
    let removed = 0
    for (const crowd of row?.crowds ?? []) removed += await endOldest(db, crowd)
    return { removed, last: row?.last ?? after, isDone: row === undefined || row.looked < size }
  },
}

/** Locked in the order of ids, as in every statement that ends several. */
async function endOldest(db: Db, { school_id, client_id, user_id }: Holdings): Promise<number> {
  const audit = auditInsert(
    {
      schoolId: school_id,
      action: 'authorization.ended',
      clientId: client_id,
      actorUserId: user_id,
      detail: JSON.stringify({ reason: `more than ${MOST_AUTHORIZATIONS} of one person` }),
    },
    sql`where exists (select from ended)`,
  )
  const { rows } = await sql<{ ended: number }>`
    with surplus as materialized (
      select id from authorizations
      where school_id = ${school_id} and user_id = ${user_id} and client_id = ${client_id}
        and revoked_at is null
      order by exists (
          select from token_pairs p where p.authorization_id = authorizations.id
            and p.revoked_at is null and p.refresh_expires_at > now()) desc,
        coalesce(last_used_at, created_at) desc, id desc
      offset ${MOST_AUTHORIZATIONS} limit ${sql.lit(ENDED_AT_ONCE)}),
    gate as materialized (
      select id from authorizations where id in (select id from surplus)
      order by id for no key update),
    ended as (
      update authorizations a set revoked_at = now() from gate
      where a.id = gate.id and a.revoked_at is null returning 1),
    audited as (${audit})
    select count(*)::int as ended from ended`.execute(db)
  return rows[0]?.ended ?? 0
}

/** How many children a refresh token may have that were never used. */
export const MOST_UNUSED_CHILDREN = 100
const UNUSED_FOR_MS = 3_600_000
const REVOKED_AT_ONCE = 1000
const STATEMENTS_PER_PARENT = 10

interface Siblings {
  readonly authorization_id: string
  readonly school_id: string
  readonly client_id: string
  readonly previous_id: string
}

/**
 * Every retry of a refresh adds a child, and only a used child retires their parent. A client that
 * refreshes without end and uses no token keeps the newest hundred. The sweep looks once at each
 * pair that was not used for an hour, and then at all pairs of its authorization, which an index
 * finds.
 */
const childrenCap: Sweep = {
  name: 'unused_children',
  position: 'unused_children',
  async step(db, { after, size, now }) {
    const { rows } = await sql<{ looked: number; last: string | null; crowds: Siblings[] }>`
      with page as materialized (
        select id, authorization_id,
          previous_id is not null and first_used_at is null and revoked_at is null as is_unused
        from token_pairs
        where id > ${after ?? FIRST_ID} and id < ${lowestIdAt(now - UNUSED_FOR_MS)}
        order by id limit ${sql.lit(size)}),
      crowds as (
        select a.id as authorization_id, a.school_id, a.client_id, p.previous_id
        from token_pairs p join authorizations a on a.id = p.authorization_id
        where p.authorization_id = any (array(select authorization_id from page where is_unused))
          and p.previous_id is not null and p.first_used_at is null and p.revoked_at is null
          and a.revoked_at is null
        group by a.id, a.school_id, a.client_id, p.previous_id
        having count(*) > ${MOST_UNUSED_CHILDREN})
      select (select count(*) from page)::int as looked,
        (select id::text from page order by id desc limit 1) as last,
        (select coalesce(json_agg(crowds), '[]') from crowds) as crowds`.execute(db)
    const [row] = rows
    let removed = 0
    for (const crowd of row?.crowds ?? []) removed += await thin(db, crowd)
    return { removed, last: row?.last ?? after, isDone: row === undefined || row.looked < size }
  },
}

async function thin(db: Db, crowd: Siblings): Promise<number> {
  let revoked = 0
  for (let i = 0; i < STATEMENTS_PER_PARENT; i++) {
    const now = await revokeOldest(db, crowd)
    revoked += now
    if (now < REVOKED_AT_ONCE) break
  }
  return revoked
}

/**
 * The authorization is locked first, as in every statement that changes several pairs. A child with
 * children of its own stays: through it their first use finds the pairs to retire.
 */
async function revokeOldest(db: Db, crowd: Siblings): Promise<number> {
  const audit = auditInsert(
    {
      schoolId: crowd.school_id,
      action: 'token.revoked',
      clientId: crowd.client_id,
      authorizationId: crowd.authorization_id,
      detail: JSON.stringify({ reason: 'too many unused children of one refresh token' }),
    },
    sql`where exists (select from revoked)`,
  )
  const { rows } = await sql<{ revoked: number }>`
    with gate as materialized (
      select id from authorizations where id = ${crowd.authorization_id} for no key update),
    surplus as (
      select p.id from gate join token_pairs p on p.authorization_id = gate.id
      where p.previous_id = ${crowd.previous_id} and p.first_used_at is null and p.revoked_at is null
        -- Not "not exists": without statistics that is planned as one search for each child.
        and p.id not in (
          select c.previous_id from token_pairs c
          where c.authorization_id = ${crowd.authorization_id} and c.previous_id is not null)
      order by p.id desc offset ${MOST_UNUSED_CHILDREN} limit ${sql.lit(REVOKED_AT_ONCE)}),
    revoked as (
      update token_pairs p set revoked_at = now() from surplus
      where p.id = surplus.id and p.first_used_at is null and p.revoked_at is null returning 1),
    audited as (${audit})
    select count(*)::int as revoked from revoked`.execute(db)
  return rows[0]?.revoked ?? 0
}

/** A refresh token that is presented this long after it ended is still recognised as a replay. */
const REPLAY_MEMORY_DAYS = 7
/**
 * A code that is presented again within a day of its end still ends the authorization that it made.
 */
const CODE_MEMORY_DAYS = 1

const longAgo = sql`now() - make_interval(days => ${sql.lit(REPLAY_MEMORY_DAYS)})`
const DAY_MS = 86_400_000

/**
 * When a pair is looked at, in days after it was issued. A client that is in use retires its pairs
 * within hours, so most are dead at the first look. A pair that ends later is removed at the next
 * look. So the purge costs what was issued, however many pairs live; an index on the time of the
 * end would make every first use of a token dearer. The id of a pair tells when it was issued.
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
 * retire (whatever ended it ended those too, and they expire before it), so the chain may break
 * here. An authorization goes with its last pair; one that was used lately has a pair that is not
 * dead, so its pairs are not looked through.
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
          t.revoked_at < ${longAgo} or exists (
            select from authorizations a where a.id = t.authorization_id and (a.revoked_at < ${longAgo}
              or t.refresh_expires_at < ${longAgo} and not ${isSuspended(sql`a.school_id`)})))
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
 * An authorization is made together with its first pair, so one without pairs has outlived all of
 * them. Usually it went with the last one, unless its row was locked: a look at a few rows in each
 * round finds those.
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
  waiting: isSuspended(sql`t.school_id`),
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

/** How far the sweeps of all processes have come, by name. */
export async function readPurgePositions(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('purge_positions').select(['name', 'position']).execute()
  return new Map(rows.map(({ name, position }) => [name, position]))
}

/** Undefined: the sweep begins again at the first row. */
export async function keepPurgePosition(
  db: Db,
  name: string,
  position: string | undefined,
): Promise<void> {
  if (position === undefined) {
    await db.deleteFrom('purge_positions').where('name', '=', name).execute()
    return
  }
  await db
    .insertInto('purge_positions')
    .values({ name, position })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ position, kept_at: sql<Date>`now()` }),
    )
    .execute()
}
