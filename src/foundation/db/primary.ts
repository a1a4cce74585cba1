import pg from 'pg'
import { ClosableClient } from './closable-client.ts'
import { Hosts } from './hosts.ts'
import { TIME_OUTS } from './time-outs.ts'
import { DatabaseUnavailableError } from './unavailable.ts'

/** On a standby every transaction is read-only, too. */
const LOOK = `
  select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`

/**
 * Every promotion of a standby begins a new timeline: the first eight digits of the name of a WAL
 * file.
 */
const LOOK_AT_TIMELINE = `
  select (select system_identifier::text from pg_control_system()) as cluster,
    left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`

interface Timeline {
  readonly cluster: string
  readonly timeline: string
}

/** read_only_sql_transaction. */
export const READ_ONLY = '25006'

/** The newest timeline of each cluster that this process was connected to. */
const newestTimelines = new Map<string, string>()

/**
 * Refuses a new connection that cannot write, and one to a former primary. A standby may be behind:
 * it would accept a token that was revoked a moment ago. So would a primary that hung and wakes up
 * after a standby took its place, until it is told. A process that has seen neither of them asks
 * all hosts before it uses its first connection. PostgreSQL ends all connections of a primary that
 * becomes a standby, so to look once is enough.
 */
export async function requirePrimary(client: ClosableClient, withinMs: number): Promise<void> {
  const timer = setTimeout(() => client.giveUpOpening(), withinMs)
  try {
    const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(LOOK)
    if (rows[0]?.isStandby) {
      throw new DatabaseUnavailableError('This PostgreSQL is a standby, not the primary', READ_ONLY)
    }
    if (rows[0]?.isReadOnly) {
      throw new DatabaseUnavailableError('This PostgreSQL accepts no writes', READ_ONLY)
    }
    await client.settings.hosts?.askOthers(client.address, (host) => noteTimeline(client, host))
    await requireNewestTimeline(client)
  } finally {
    clearTimeout(timer)
  }
}

async function requireNewestTimeline(client: ClosableClient): Promise<void> {
  const found = await timelineOf(client)
  if (found === undefined) return
  note(found)
  const { cluster, timeline } = found
  const newest = newestTimelines.get(cluster)
  if (timeline !== newest) {
    throw new DatabaseUnavailableError(
      `This PostgreSQL is a former primary: it is on timeline ${timeline}, and this process has seen ${newest}. If a backup was restored, restart the server`,
      READ_ONLY,
    )
  }
}

/** The host may be the new primary, of which this process knows nothing yet. */
async function noteTimeline({ settings }: ClosableClient, host: pg.ClientConfig): Promise<void> {
  const client = new ClosableClient({ ...settings, hosts: new Hosts([host]) })
  // What waits for the connection is rejected with the same error.
  client.on('error', () => undefined)
  const timer = setTimeout(() => client.giveUpOpening(), TIME_OUTS.otherHosts)
  try {
    await client.connect()
    note(await timelineOf(client))
  } finally {
    clearTimeout(timer)
    void client.close()
  }
}

function note(found: Timeline | undefined): void {
  if (found === undefined) return
  const newest = newestTimelines.get(found.cluster) ?? ''
  // Eight hexadecimal digits: the order of the texts is the order of the numbers.
  if (found.timeline > newest) newestTimelines.set(found.cluster, found.timeline)
}

/** Undefined on a standby. */
async function timelineOf(client: ClosableClient): Promise<Timeline | undefined> {
  try {
    return (await client.query<Timeline>(LOOK_AT_TIMELINE)).rows[0]
  } catch (error) {
    // A hosted PostgreSQL may not have these functions, or not for this role.
    if (error instanceof pg.DatabaseError) return undefined
    throw error
  }
}
