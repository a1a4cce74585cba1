import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { countMarked } from './count-marked.ts'
import { CONNECTED } from './figure-parts.ts'

/** How much is counted while a caller waits. */
const AT_ONCE = { keys: 60, rows: 1_000 } as const

/** What is known about the figures of a school. */
export interface Figures {
  /** False while they must be counted from the rows. */
  readonly isKept: boolean
  /**
   * Everything that was written before is counted. Null while the first count of a large school
   * runs.
   */
  readonly countedAt: Date | null
  readonly timeZone: string
}

/**
 * The state of the figures, before they are read. What was written a moment ago is counted first,
 * if it has few rows; large parts are left to the server's own count. So is the first count of a
 * large school: a caller who waited for it would be told that the server has no time, so until it
 * ends the answer is what is counted so far.
 */
export async function prepareFigures(db: SchoolDb): Promise<Figures> {
  const state = await readState(db)
  if (!state.isKept && state.isLarge) {
    return { isKept: true, countedAt: null, timeZone: state.timeZone }
  }
  if (!state.isKept || state.oldest === null) return figuresIn(state)
  await countMarked(db, AT_ONCE)
  return figuresIn(await readState(db))
}

interface State {
  readonly isKept: boolean
  /** Only looked at while the figures are not kept. */
  readonly isLarge: boolean
  readonly timeZone: string
  readonly oldest: Date | null
  readonly now: Date
}

function figuresIn({ isKept, timeZone, oldest, now }: State): Figures {
  return { isKept, timeZone, countedAt: isKept ? (oldest ?? now) : now }
}

/** More rows in one table take longer than a caller should wait. */
export const FEW_ROWS = 20_000

const COUNTED_TABLES = ['lecture_progress', 'learning_days', 'enrollments', 'payments']

const hasManyRows = (table: string) => sql`exists (
  select from ${sql.table(table)} r where r.school_id = s.id offset ${sql.lit(FEW_ROWS)})`

/**
 * People with connected apps are in none of the answers, so their marks neither wait for a caller
 * nor make figures old.
 */
async function readState(db: SchoolDb): Promise<State> {
  const { rows } = await db.run(sql<State>`
    select s.time_zone as "timeZone", f.filled_at is not null as "isKept", now() as now,
      case when f.filled_at is null then ${sql.join(COUNTED_TABLES.map(hasManyRows), sql` or `)}
        else false end as "isLarge",
      (select m.marked_at from figure_marks m where m.school_id = s.id and m.part <> ${CONNECTED}
       order by m.marked_at limit 1) as oldest
    from schools s left join school_figures f on f.school_id = s.id where s.id = ${db.schoolId}`)
  return (
    rows[0] ?? { isKept: false, isLarge: false, timeZone: 'UTC', oldest: null, now: new Date() }
  )
}
