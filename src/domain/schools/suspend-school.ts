import { sql } from 'kysely'
import type { Pause, SchoolClock } from '../../foundation/db/school-clock.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { recordChange } from '../audit/audit.ts'

/**
 * From the commit on nothing of the school answers, is sent or expires; a request that is under way
 * still ends. False if it is suspended already.
 */
export async function suspendSchool(tx: SchoolTx, by: Actor): Promise<boolean> {
  const { rows } = await tx.run(sql`
    update schools set suspended_at = now()
    where id = ${tx.schoolId} and suspended_at is null and deleted_at is null returning 1`)
  if (rows.length === 0) return false
  await recordChange(tx, by, { action: 'school.suspended' })
  return true
}

/** After a longer round, another one moves the clocks by the time that it took. */
const SHORT_MINUTES = 1

/**
 * Moves all clocks of the school behind the pause, in steps, and opens it; or does something else
 * with it in the same transaction. A resumption that was interrupted goes on where it was. The time
 * that it lay idle, or that a long round took, is one more pause. False if the school is not
 * suspended.
 */
export async function resumeSchool(
  db: SchoolDb,
  clocks: readonly SchoolClock[],
  by: Actor,
  finish: (tx: SchoolTx) => Promise<void> = (tx) =>
    recordChange(tx, by, { action: 'school.resumed' }),
): Promise<boolean> {
  let begun = await db.transaction((tx) => beginResumption(tx, clocks))
  if (begun === undefined) return false
  // One that another command began may have lain idle; the last round is a short one.
  for (let left = begun === 'interrupted' ? 2 : 1; ; left--) {
    while (await db.transaction((tx) => moveSome(tx, clocks)));
    const outcome = await db.transaction((tx) => openSchool(tx, left > 0, finish))
    if (outcome !== 'again') return outcome === 'open'
    begun = await db.transaction((tx) => beginResumption(tx, clocks))
    if (begun === undefined) return true
  }
}

/** Everything is moved. */
const NO_CLOCK = ''

/** Undefined if the school is not suspended. */
async function beginResumption(
  tx: SchoolTx,
  clocks: readonly SchoolClock[],
): Promise<'fresh' | 'interrupted' | undefined> {
  if ((await lockSuspension(tx)) === undefined) return undefined
  const { rows } = await tx.run(sql`
    insert into resumptions (school_id, clock) values (${tx.schoolId}, ${clocks[0]?.table ?? NO_CLOCK})
    on conflict do nothing returning 1`)
  return rows.length > 0 ? 'fresh' : 'interrupted'
}

/** Since when the school is suspended. Two commands that resume it take turns here. */
async function lockSuspension(tx: SchoolTx): Promise<Date | undefined> {
  const { rows } = await tx.run(sql<{ from: Date | null }>`
    select suspended_at as "from" from schools where id = ${tx.schoolId} for no key update`)
  return rows[0]?.from ?? undefined
}

interface Resumption {
  readonly until: Date
  readonly clock: string
  readonly position: string | null
}

async function readResumption(
  tx: SchoolTx,
): Promise<{ readonly pause: Pause; readonly at: Resumption } | undefined> {
  const from = await lockSuspension(tx)
  const { rows } = await tx.run(sql<Resumption>`
    select until, clock, position from resumptions where school_id = ${tx.schoolId}`)
  const [at] = rows
  if (from === undefined || at === undefined) return undefined
  return { pause: { from, until: at.until }, at }
}

/** False if nothing is left to move. */
async function moveSome(tx: SchoolTx, clocks: readonly SchoolClock[]): Promise<boolean> {
  const found = await readResumption(tx)
  if (found === undefined || found.at.clock === NO_CLOCK) return false
  const { pause, at } = found
  const place = clocks.findIndex(({ table }) => table === at.clock)
  const clock = clocks[place]
  if (clock === undefined) throw new Error(`there is no clock ${at.clock}`)
  const after = await clock.step(tx, pause, at.position ?? undefined)
  const next = after === undefined ? (clocks[place + 1]?.table ?? NO_CLOCK) : at.clock
  await tx.run(sql`
    update resumptions set clock = ${next}, position = ${after ?? null}
    where school_id = ${tx.schoolId}`)
  return true
}

/** `gone`: another command has opened or deleted it meanwhile. */
async function openSchool(
  tx: SchoolTx,
  mayRepeat: boolean,
  finish: (tx: SchoolTx) => Promise<void>,
): Promise<'open' | 'again' | 'gone'> {
  const found = await readResumption(tx)
  if (found === undefined) {
    const { rows } = await tx.run(sql`
      select from schools where id = ${tx.schoolId} and suspended_at is null and deleted_at is null`)
    return rows.length > 0 ? 'open' : 'gone'
  }
  const { pause } = found
  await tx.delete('resumptions').execute()
  const { rows } = await tx.run(sql<{ isOpen: boolean }>`
    update schools set
      suspended_at = case
        when ${mayRepeat} and ${pause.until}::timestamptz < now() - make_interval(mins => ${sql.lit(SHORT_MINUTES)})
        then ${pause.until}::timestamptz end,
      operator_factor_from = case
        when operator_factor_from > ${pause.from} then operator_factor_from + (${pause.until}::timestamptz - ${pause.from}::timestamptz)
        else operator_factor_from end
    where id = ${tx.schoolId} returning suspended_at is null as "isOpen"`)
  if (rows[0]?.isOpen !== true) return 'again'
  await finish(tx)
  return 'open'
}
