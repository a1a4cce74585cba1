import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import {
  keepBackupLease,
  readBackupAge,
  readInstallationMark,
  recordBackup,
  takeBackupLease,
} from '../../domain/setup/backup-lease.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { ConnectionSettings } from '../../foundation/db/hosts.ts'
import { BACKUP_PREFIX } from '../embedded-place.ts'
import { installationGauges, recently } from '../work-metrics.ts'
import { writeBackup } from './write-backup.ts'

export interface BackupPlan {
  readonly everySeconds: number
  /** How many files stay. */
  readonly keep: number
  readonly folder: string
}

/** Undefined if the environment asks for none. */
export function backupPlanOf(config: Config): BackupPlan | undefined {
  const { BACKUP_EVERY: everySeconds, BACKUP_KEEP: keep, BACKUP_DIR: folder } = config
  if (everySeconds === undefined || folder === undefined) return undefined
  return { everySeconds, keep, folder }
}

const LOOK_MS = 60_000
const RENEW_MS = 60_000
const RETRY_SECONDS = 600

interface Place {
  readonly db: Db
  /** Directly to PostgreSQL, because a backup is one long transaction. */
  readonly connection: ConnectionSettings
  readonly log: Logger
  readonly signal?: AbortSignal
}

/** Makes a backup whenever one is due and no other process is at it, until stopped. */
export function backUpInBackground(
  plan: BackupPlan | undefined,
  place: Place,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let round: Promise<unknown> = Promise.resolve()
  const schedule = (): void => {
    if (signal.aborted || plan === undefined) return
    timer = setTimeout(() => {
      round = backUpIfDue(plan, { ...place, signal })
        .catch((error: unknown) =>
          place.log.error({ err: error }, 'whether a backup is due is not known'),
        )
        .finally(schedule)
    }, LOOK_MS)
    timer.unref()
  }
  schedule()
  return {
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await round
    },
  }
}

/** Returns the file that it wrote, or undefined if none was due or it failed. */
export async function backUpIfDue(
  { everySeconds, keep, folder }: BackupPlan,
  { db, connection, log, signal }: Place,
): Promise<string | undefined> {
  if (!(await takeBackupLease(db, everySeconds))) return undefined
  let isMoving = true
  // A disk that hangs must not hold the lease: another process may have one that works.
  const renewing = setInterval(() => {
    if (isMoving) void keepBackupLease(db).catch(() => {})
    isMoving = false
  }, RENEW_MS)
  renewing.unref()
  const begun = performance.now()
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // Of this installation alone, and none that a person made.
    const ours = `${BACKUP_PREFIX}${await readInstallationMark(db)}-`
    const filesWith = async (ending: string) =>
      (await readdir(folder)).filter((one) => one.startsWith(ours) && one.endsWith(ending)).sort()
    // We have the lease, so no process is still writing it.
    await removeFiles(folder, await filesWith('.part'))
    const name = `${ours}${new Date().toISOString().replace(/[:.]/g, '-')}.backup.gz`
    const { bytes, rows, startedAt } = await writeBackup(connection, join(folder, name), {
      ...(signal && { signal }),
      onRows: () => {
        isMoving = true
      },
    })
    clearInterval(renewing)
    await recordBackup(db, startedAt)
    const others = (await filesWith('.backup.gz')).filter((one) => one !== name)
    await removeFiles(folder, keep > 1 ? others.slice(0, 1 - keep) : others)
    const ms = Math.round(performance.now() - begun)
    log.info({ file: name, bytes, rows, ms }, 'the database was backed up')
    return join(folder, name)
  } catch (error) {
    clearInterval(renewing)
    if (signal?.aborted) {
      await keepBackupLease(db, 0)
      return undefined
    }
    log.error(
      { err: error },
      `the backup failed; it is tried again in ${RETRY_SECONDS / 60} minutes`,
    )
    await keepBackupLease(db, RETRY_SECONDS)
    return undefined
  }
}

async function removeFiles(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(folder, name), { force: true })
}

/** How old the last good backup is, and how old it may become. */
export function addBackupMetrics(registry: Registry, db: Db, plan: BackupPlan | undefined): void {
  if (plan === undefined) return
  const gauge = installationGauges(registry)
  const age = recently(() => readBackupAge(db))
  gauge(
    'schoolgate_backup_age_seconds',
    'Since the last good backup, or since the first start if there is none.',
    async () => (await age())?.seconds,
  )
  gauge('schoolgate_backup_interval_seconds', 'BACKUP_EVERY.', async () => plan.everySeconds)
}
