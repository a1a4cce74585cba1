import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../foundation/db/database.ts'
import { buildIndexes, type IndexEvent } from '../foundation/db/migration/build-indexes.ts'
import { saidProgress } from '../foundation/db/migration/index-progress.ts'
import { loadMigrations, type Migration } from '../foundation/db/migration/migrations.ts'
import type { DatabaseServer } from './open-database.ts'

export interface IndexPace {
  /** How often progress is logged. */
  readonly lookMs?: number
  /** The pause after a build that failed. */
  readonly retryMs?: number
}

/** Builds indexes that an update brought while this process serves. `stop` ends a build that runs. */
export function buildIndexesInBackground(
  { connection }: Pick<DatabaseServer, 'connection'>,
  { pool }: Pick<Database, 'pool'>,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  from?: readonly Migration[],
  { lookMs, retryMs = 60_000 }: IndexPace = {},
): { readonly done: Promise<void>; stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  const run = async (): Promise<void> => {
    const migrations = from ?? (await loadMigrations())
    // Most releases bring none.
    if (migrations.every(({ indexes }) => indexes === undefined)) return
    while (!signal.aborted) {
      try {
        await buildIndexes(connection, {
          migrations,
          query: (sql, values) => pool.query(sql, values),
          onEvent: (event) => logEvent(log, event),
          signal,
          lookMs,
        })
        return
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error }, 'an index could not be built; it is tried again later')
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }
  }

  const done = run()
  return {
    done,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

function logEvent(log: Pick<Logger, 'info' | 'warn'>, event: IndexEvent): void {
  const { name: index, table } = event.index
  if (event.what === 'progress') {
    log.info({ index, table, progress: saidProgress(event.progress) }, 'building an index')
  } else if (event.what === 'removed unfinished') {
    log.warn({ index, table }, 'an index was left unfinished; it is built again')
  } else if (event.what === 'begun') log.info({ index, table }, 'building an index')
  else log.info({ index, table }, 'an index is built')
}
