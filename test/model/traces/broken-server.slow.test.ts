import { expect, test } from 'vitest'
import { aWorld } from '../../support/world.ts'
import { range, type TraceEnd, Traces } from './run.ts'

const world = await aWorld()
const traces = await Traces.prepare(world, 4)

/** What a trigger does to the rows that the server writes, as if a rule of the server was wrong. */
const BROKEN: Readonly<Record<string, readonly [event: string, body: string]>> = {
  'a refresh ends the old pair': [
    'after insert on token_pairs',
    'update token_pairs set revoked_at = now() where id = new.previous_id',
  ],
  'the first use of a pair leaves its parent live': [
    'before update on token_pairs',
    `if exists (select from token_pairs where previous_id = new.id) then
      new.revoked_at = old.revoked_at; end if`,
  ],
  'an authorization never ends': [
    'before update on authorizations',
    'new.revoked_at = old.revoked_at',
  ],
}

test.each(Object.keys(BROKEN))('the traces find a server in which %s', async (wrong) => {
  const [event, body] = BROKEN[wrong] ?? []
  const { pool } = world.database
  await pool.query(`create function break_a_rule() returns trigger language plpgsql as
    $$ begin ${body}; return new; end $$`)
  await pool.query(`create trigger break_a_rule ${event}
    for each row execute function break_a_rule()`)
  const different: TraceEnd[] = []
  function* untilFound(): Generator<number> {
    for (const trace of range(0, 320)) {
      if (different.length > 0) return
      yield trace
    }
  }
  await traces.run(untilFound(), (end) => {
    if (end.difference !== undefined) different.push(end)
  })
  await pool.query('drop function break_a_rule cascade')
  expect(different).not.toEqual([])
})
