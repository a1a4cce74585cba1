import { sql } from 'kysely'
import { laterBy, type Pause, type SchoolClock } from '../../foundation/db/school-clock.ts'
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
    where id = ${tx.schoolId} and suspended_at is null returning 1`)
  if (rows.length === 0) return false
  await recordChange(tx, by, { action: 'school.suspended' })
  return true
}

/**
 * Moves all clocks of the school behind the pause, in steps, and opens it. A resumption that was
 * interrupted goes on where it was; the time that it lay idle is one more pause. False if the
 * school is not suspended.
 */
export async function resumeSchool(
  db: SchoolDb,
  clocks: readonly SchoolClock[],
  by: Actor,
): Promise<boolean> {
  for (;;) {
    const begun = await db.transaction((tx) => beginResumption(tx, clocks))
    if (begun === undefined) return false
    while (await db.transaction((tx) => moveSome(tx, clocks)));
    if (await db.transaction((tx) => openSchool(tx, begun, by))) return true
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

/** False if the resumption lay idle in between: that was one more pause. */
async function openSchool(
  tx: SchoolTx,
  begun: 'fresh' | 'interrupted',
  by: Actor,
): Promise<boolean> {
  const found = await readResumption(tx)
  // Another command was faster.
  if (found === undefined) return true
  const { pause } = found
  await tx.delete('resumptions').execute()
  const { rows } = await tx.run(sql<{ isOpen: boolean }>`
    update schools set
      suspended_at = case
        when ${begun === 'interrupted'} and ${pause.until}::timestamptz < now() - interval '1 minute'
        then ${pause.until}::timestamptz end,
      operator_factor_from = case
        when operator_factor_from > ${pause.from} then ${laterBy(pause, 'operator_factor_from')}
        else operator_factor_from end
    where id = ${tx.schoolId} returning suspended_at is null as "isOpen"`)
  const isOpen = rows[0]?.isOpen === true
  if (isOpen) await recordChange(tx, by, { action: 'school.resumed' })
  return isOpen
}
