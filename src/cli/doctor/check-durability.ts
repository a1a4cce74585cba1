import { statfs } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { proveGrowth } from '../../domain/setup/write-proof.ts'
import { losesPreparedStatements } from '../../foundation/db/pooler.ts'
import { TIME_OUTS } from '../../foundation/db/time-outs.ts'
import { DISK_FULL, isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import { POOLER_REMEDY } from '../../start/check-pooler.ts'
import type { Attached } from '../attach.ts'
import { broken, type Finding, fine, note } from './finding.ts'

/** With less, PostgreSQL may soon be unable to write its log, and then stops. */
const LITTLE_SPACE_BYTES = 500_000_000

interface Replication {
  readonly fsync: string
  readonly commit: string
  /** Of synchronous standbys. */
  readonly names: string
  readonly standbys: number
}

export async function checkDurability({ pool }: Attached): Promise<readonly Finding[]> {
  const { rows } = await pool.query<Replication>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('synchronous_standby_names') as names,
       (select count(*)::int from pg_stat_replication) as standbys`,
  )
  return rows.map(judgeDurability)
}

/** What a crash or a failover can lose. */
export function judgeDurability({ fsync, commit, names, standbys }: Replication): Finding {
  if (fsync === 'off') {
    return note(
      'durability',
      'PostgreSQL runs with fsync=off: a power failure can destroy the database.',
      'set fsync=on, unless this installation is only for tests',
    )
  }
  if (commit === 'off') {
    return note(
      'durability',
      'PostgreSQL confirms changes before they are on its disk (synchronous_commit=off): a crash can lose the last ones.',
      'set synchronous_commit=on',
    )
  }
  if (standbys > 0 && (names === '' || commit === 'local')) {
    return note(
      'durability',
      `${standbys === 1 ? 'A standby follows' : `${standbys} standbys follow`} asynchronously: a failover can lose what was confirmed in the last moments. Then revoked tokens are accepted again, and clients that refreshed must sign in again.`,
      'set synchronous_standby_names (and synchronous_commit=on), or let Patroni do so: synchronous_mode: true',
    )
  }
  return fine(
    'durability',
    standbys === 0
      ? 'What is confirmed is on the disk of the database; no standby follows.'
      : 'What is confirmed is on the disk of the database and of a standby.',
  )
}

export async function checkPooler({ connection, by }: Attached): Promise<readonly Finding[]> {
  if (by !== 'DATABASE_URL') return []
  if (!(await losesPreparedStatements(connection, TIME_OUTS.connectAlone))) return []
  return [
    broken(
      'pooler',
      'A pooler in front of PostgreSQL loses prepared statements: requests fail at random.',
      POOLER_REMEDY,
    ),
  ]
}

/** Writes to a table that is dropped at once. */
export async function checkSpace({ db, by }: Attached, config: Config): Promise<Finding> {
  try {
    await proveGrowth(db)
  } catch (error) {
    if (!isDatabaseUnavailable(error) || error.code !== DISK_FULL) throw error
    return broken(
      'disk',
      'The disk of the database is full.',
      'free space, or enlarge the disk; nothing that was confirmed is lost',
    )
  }
  if (by === 'DATABASE_URL') return fine('disk', 'Tables can grow.')
  const { bavail, bsize } = await statfs(config.SCHOOLGATE_DATA_DIR)
  const free = bavail * bsize
  const megabytes = `${Math.floor(free / 1_000_000)} MB`
  return free < LITTLE_SPACE_BYTES
    ? note(
        'disk',
        `Only ${megabytes} are free in the data folder.`,
        'free space, or enlarge the disk',
      )
    : fine('disk', `${megabytes} are free in the data folder.`)
}
