import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()

/** Stands still as a paused machine does: nothing that arrives meanwhile is read. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

test('a process that stood still in a transaction says "try again", not that it failed', async () => {
  const work = world.database.db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 100`.execute(tx)
    pause(1_000)
    await sql`select 1`.execute(tx)
  })
  const error = await work.catch((reason: unknown) => reason)
  expect(isDatabaseUnavailable(error) && error.isConnectionLost).toBe(true)
  const { rows } = await sql`select 1 as one`.execute(world.database.db)
  expect(rows).toEqual([{ one: 1 }])
})
