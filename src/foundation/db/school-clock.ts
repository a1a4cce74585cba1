import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx } from './school-db.ts'

/** A time during which a school was suspended. */
export interface Pause {
  readonly from: Date
  readonly until: Date
}

/**
 * Times by which rows expire. They stand still while their school is suspended: once it is resumed,
 * they are moved behind the pause.
 */
export interface SchoolClock {
  /** Also names where a resumption that was interrupted goes on. */
  readonly table: string
  readonly columns: readonly string[]
  /** Moves some rows, and returns where the next step begins; undefined at the end. */
  step(tx: SchoolTx, pause: Pause, after: string | undefined): Promise<string | undefined>
}

/** Whether the school with this id is suspended, as SQL. */
export function isSuspended(schoolId: RawBuilder<unknown>): RawBuilder<boolean> {
  // Not "exists": PostgreSQL would join all schools instead of looking one up by its key.
  return sql<boolean>`coalesce((
    select suspended.suspended_at is not null and suspended.deleted_at is null
    from schools suspended where suspended.id = ${schoolId}), false)`
}

const length = ({ from, until }: Pause) => sql`(${until}::timestamptz - ${from}::timestamptz)`

/**
 * A moment until which something works. What began during the pause, by a command or at another
 * school, stood still only since then.
 */
export function laterBy(
  { from, until }: Pause,
  column: string,
  began: string,
): RawBuilder<unknown> {
  return sql`${sql.ref(column)} + greatest(
    ${until}::timestamptz - greatest(${sql.ref(began)}, ${from}::timestamptz), interval '0')`
}

/** A moment from which an age is counted. What began during the pause begins at its end. */
export function youngerBy(pause: Pause, column: string): RawBuilder<unknown> {
  return sql`least(${sql.ref(column)} + ${length(pause)}, ${pause.until}::timestamptz)`
}

interface TableClock {
  readonly table: string
  /** Rows called `t` that wait for this school; those with its `school_id`, unless given. */
  readonly of?: (schoolId: RawBuilder<string>) => RawBuilder<unknown>
  /** A moment until which something works, and when that began. */
  readonly until?: { readonly column: string; readonly began: string }
  /** Moments from which an age is counted. */
  readonly since?: readonly string[]
  /** Which of them still run; all, unless given. */
  readonly running?: (pause: Pause) => RawBuilder<unknown>
}

/** For tables that are small, or whose rows an index by school finds: moves all rows at once. */
export function clockOf(clock: TableClock): SchoolClock {
  const { table, until, since = [] } = clock
  const { of = (id) => sql`t.school_id = ${id}`, running = () => sql`true` } = clock
  return {
    table,
    columns: [...(until === undefined ? [] : [until.column]), ...since],
    async step(tx, pause) {
      const moved = [
        ...(until === undefined
          ? []
          : [sql`${sql.ref(until.column)} = ${laterBy(pause, until.column, until.began)}`]),
        ...since.map((column) => sql`${sql.ref(column)} = ${youngerBy(pause, column)}`),
      ]
      await tx.run(sql`
        update ${sql.table(table)} t set ${sql.join(moved)}
        where ${of(sql`${tx.schoolId}::uuid`)} and ${running(pause)}`)
      return undefined
    },
  }
}
