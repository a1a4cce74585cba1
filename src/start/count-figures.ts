import { sql } from 'kysely'
import type { Logger } from 'pino'
import { FigureRounds } from '../domain/analytics/figure-rounds.ts'
import type { Db } from '../foundation/db/database.ts'

/** Between rounds, and between rounds that do not end. */
const PAUSE_MS = 1_000
const SHORT_PAUSE_MS = 20

/** Without these indexes to count one day reads a whole table. An update builds them after the start. */
const INDEXES = ['enrollments_by_start', 'payments_by_refund']

/** Counts the figures that writes made wrong until stopped; `stop` waits for the current round. */
export function countFiguresInBackground(db: Db, log: Logger): { stop(): Promise<void> } {
  const rounds = new FigureRounds(db)
  let isStopping = false
  let isReady = false
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()

  const schedule = (pause: number): void => {
    if (isStopping) return
    timer = setTimeout(() => {
      round = run()
    }, pause)
    timer.unref()
  }
  const run = async (): Promise<void> => {
    let isMore = false
    try {
      isReady ||= await hasIndexes(db)
      if (isReady) isMore = await rounds.next()
    } catch (error) {
      log.warn({ err: error }, 'figures of schools were not counted; it is tried again')
    }
    schedule(isMore ? SHORT_PAUSE_MS : PAUSE_MS)
  }
  schedule(PAUSE_MS)
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await round
    },
  }
}

async function hasIndexes(db: Db): Promise<boolean> {
  const { rows } = await sql<{ built: number }>`
    select count(*)::int as built from unnest(${INDEXES}::text[]) wanted (name)
      join pg_index i on i.indexrelid = to_regclass(wanted.name) and i.indisvalid`.execute(db)
  return rows[0]?.built === INDEXES.length
}
