import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

/*
 * The processes of an installation share one row, so that one of them makes a backup when it is
 * due. A lease that is not renewed ends, so that a process that died stops nothing.
 */

const LEASE_SECONDS = 300

/** Whether this process now makes the backup that is due. */
export async function takeBackupLease(db: Db, everySeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update installations set backup_lease_until = ${inSeconds(LEASE_SECONDS)}
    where (backed_up_at is null or backed_up_at <= ${inSeconds(-everySeconds)})
      and (backup_lease_until is null or backup_lease_until < now())
    returning 1`.execute(db)
  return rows.length > 0
}

/** Also after a failure, when the next try waits until then. */
export async function keepBackupLease(db: Db, seconds = LEASE_SECONDS): Promise<void> {
  await sql`update installations set backup_lease_until = ${inSeconds(seconds)}`.execute(db)
}

/** `startedAt` is the moment that the backup shows, on the clock of the database. */
export async function recordBackup(db: Db, startedAt: Date): Promise<void> {
  await sql`
    update installations set backed_up_at = ${startedAt}, backup_lease_until = null`.execute(db)
}

/**
 * For a restore. The backup shows that it was being made, which is over, and the place where it is
 * restored has to make its own.
 */
export const FORGET_BACKUPS =
  'update installations set backup_lease_until = null, backed_up_at = null'

export interface BackupAge {
  readonly seconds: number
  /** Before the first good backup, its age counts from when the database could keep one. */
  readonly isNone: boolean
}

/** How old the last good backup is; undefined before the first start. */
export async function readBackupAge(db: Db): Promise<BackupAge | undefined> {
  const { rows } = await sql<BackupAge>`
    select extract(epoch from now() - coalesce(backed_up_at, m.applied_at))::float as seconds,
      backed_up_at is null as "isNone"
    from installations, schema_migrations m where m.name = '0134-backups.sql'`.execute(db)
  return rows[0]
}

/** Tells the files of one installation from those of another in the same folder. */
export async function readInstallationMark(db: Db): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    select left(encode(sha256(secret_check), 'hex'), 8) as mark from installations`.execute(db)
  return rows[0]?.mark ?? 'none'
}

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`
