import pg from 'pg'
import { type Db, openDatabase } from '../../src/foundation/db/database.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { purgeOnce } from '../../src/start/purge-rows.ts'
import { middleOf } from '../report/summary.ts'
import { REFRESHES_A_DAY } from '../world/tokens.ts'
import type { World } from '../world/world.ts'
import { readClocks, usedBetween } from './cpu.ts'

/**
 * Microseconds of CPU per refresh, of Node and PostgreSQL together, that are spent later on what it
 * left behind.
 */
export interface Afterwards {
  readonly ours: number
  readonly floor: number
}

const DATABASE = 'afterwards'
/** Refreshes whose rows are purged at once. */
const REFRESHES = 20_000
const RETENTION_DAYS = 365

/**
 * What purge and vacuum take: for ours the purge of the product, for the floor the least `delete`.
 */
export async function measureAfterwards(world: World, turns: number): Promise<Afterwards> {
  const figures: { ours: number[]; floor: number[] } = { ours: [], floor: [] }
  for (let turn = 0; turn < turns; turn++) {
    figures.ours.push(await costOf(world, 'ours'))
    figures.floor.push(await costOf(world, 'floor'))
  }
  return { ours: middleOf(figures.ours), floor: middleOf(figures.floor) }
}

async function costOf(world: World, whose: 'ours' | 'floor'): Promise<number> {
  await world.createDatabase(DATABASE)
  const connection = { connectionString: world.urlOf(DATABASE) }
  await migrate(connection)
  const client = new pg.Client(connection)
  await client.connect()
  // Open until the CPU is read: the time of a process that ended is not counted.
  const { db, close } = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 30_000 })
  try {
    // Once without rows, as every other measurement: a server purges every hour, on connections
    // that it has.
    await purge[whose](db, client)
    for (const statement of rowsOf(whose)) await client.query(statement)
    const before = { postgres: readClocks(world.postgresPid), node: process.cpuUsage() }
    requireAll(await purge[whose](db, client))
    await client.query(`vacuum ${TABLES[whose]}`)
    const { user, system } = process.cpuUsage(before.node)
    return (user + system + usedBetween(before.postgres, readClocks(world.postgresPid))) / REFRESHES
  } finally {
    await close()
    await client.end()
  }
}

/** What removes the pairs, and how many it removed. */
const purge = {
  async ours(db: Db): Promise<number> {
    let pairs = 0
    for (let finished = false; !finished; ) {
      const report = await purgeOnce(db, { auditRetentionDays: RETENTION_DAYS })
      pairs += report.removed.token_pairs ?? 0
      finished = report.finished
    }
    return pairs
  },
  async floor(_db: Db, client: pg.Client): Promise<number> {
    const { rowCount } = await client.query(
      `delete from token_pairs where id < $1 and revoked_at < now() - interval '7 days'`,
      [`${idAt(7)}7fff-8000-000000000000`],
    )
    return rowCount ?? 0
  },
}

const TABLES = { ours: 'token_pairs, authorizations, audit_entries', floor: 'token_pairs' }

function requireAll(removed: number): void {
  if (removed !== REFRESHES) throw new Error(`${removed} of ${REFRESHES} pairs were purged`)
}

/** The first digits of an id that was made so many days ago. */
function idAt(days: number): string {
  const time = (Date.now() - days * 86_400_000).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-`
}

/**
 * Pairs that were used and replaced, each by an update as in life, in the order of their ids, and
 * the audit entries of the first refresh of each day. In the week before the purge, a vacuum has
 * removed what the updates left.
 */
function rowsOf(whose: 'ours' | 'floor'): readonly string[] {
  const id = (days: number) =>
    `(lpad(to_hex((extract(epoch from now() - interval '${days} days') * 1000)::bigint + n), 12, '0')
      || '7abc8' || left(md5(n::text), 15))::uuid`
  const school = "'00000000-0000-7000-8000-000000000001'"
  const person = "'00000000-0000-7000-8000-000000000002'"
  const audit = `insert into audit_entries (id, school_id, at, action, outcome, actor_user_id, client_id, request_id)
    select ${id(RETENTION_DAYS + 1)}, ${school}, now() - interval '${RETENTION_DAYS + 1} days', 'token.refreshed', 'ok',
      ${person}, 'app', 'request ' || n from generate_series(1, ${REFRESHES}, ${REFRESHES_A_DAY}) n`
  return [
    `insert into schools (id, subdomain, origin, name, variant)
     values (${school}, 's1', 'http://s1.bench.test', 'School', 'newer')`,
    `insert into users (id, email, name) values (${person}, 'person@bench.test', 'Person')`,
    `insert into school_members (school_id, user_id, roles) values (${school}, ${person}, '{student}')`,
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
     values (${school}, 'app', 'application', 'member', 'App', '{https://app.bench.test/callback}', '{openid}')`,
    `insert into authorizations (id, school_id, client_id, user_id, audience, scopes, created_at, last_used_at)
     select ${id(30)}, ${school}, 'app', ${person}, 'member', '{openid}', now() - interval '30 days', now()
     from generate_series(1, ${REFRESHES / 100}) n`,
    ...[8, 0].map(
      (
        days,
      ) => `insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
         issued_at, access_expires_at, refresh_expires_at)
       select ${id(days)}, a.id, ${school}, '{openid}', sha256('a'), sha256('r'), now() - interval '${days} days',
         now() - interval '${days} days', now() + interval '90 days'
       from generate_series(1, ${days === 0 ? REFRESHES / 100 : REFRESHES}) n
         join (select id, row_number() over (order by id) as place from authorizations) a
           on a.place = n % ${REFRESHES / 100} + 1
       order by n`,
    ),
    `update token_pairs set first_used_at = issued_at where issued_at < now() - interval '7 days'`,
    `update token_pairs set revoked_at = issued_at + interval '2 hours' where issued_at < now() - interval '7 days'`,
    ...(whose === 'ours' ? [audit] : []),
    'vacuum analyze token_pairs, authorizations, audit_entries',
  ]
}
