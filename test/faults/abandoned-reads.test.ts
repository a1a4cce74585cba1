import { get } from 'node:http'
import { expect, test } from 'vitest'
import { anOperator } from '../support/admin-api.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { connect } from '../support/postgres.ts'
import { aWorld } from '../support/world.ts'

// Longer than this test waits: the limit of a statement must not end what the caller's absence
// should.
const world = await aWorld({ databaseSettings: { statementTimeoutMs: 600_000 } })
const school = await aListeningSchool(world)
const operator = await anOperator(world, school)

/** The statements of batch work that wait for a lock. */
async function waiting(): Promise<number> {
  const { rowCount } = await world.database.pool.query(
    `select from pg_stat_activity where datname = current_database()
       and application_name like 'schoolgate batch %' and wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}

test.each([
  ['a search of an operator', '/api/v1/posts?search=word', 'posts'],
  ['a list with its total', '/api/v1/posts?include_total=true', 'posts'],
  ['an export', '/api/v1/posts/export', 'posts'],
  ['analytics', '/api/v1/analytics/revenue?from=2026-01-01&to=2026-01-31', 'revenue_days'],
])('%s ends in PostgreSQL when its caller goes away', async (_what, path, table) => {
  const holder = await connect(world.database.connection)
  await holder.query(`begin; lock table ${table} in access exclusive mode`)
  try {
    const headers = { authorization: `Bearer ${operator.accessToken}` }
    const request = get(new URL(path, school.origin), { headers })
    request.on('error', () => undefined)
    await expect.poll(waiting, { message: 'statements of batch work that wait' }).toBe(1)
    request.destroy()
    await expect
      .poll(waiting, { message: 'statements that go on although their caller is gone' })
      .toBe(0)
  } finally {
    await holder.end()
  }
  expect((await operator.get(path.replace('/api/v1', ''))).statusCode).toBe(200)
})
