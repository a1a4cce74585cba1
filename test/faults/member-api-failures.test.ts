import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ask, aToken, postGraphQL } from '../support/member-api.ts'
import { connect } from '../support/postgres.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
const { db, connection } = world.database

describe('when a field fails', () => {
  test('the answer has the request id and the other fields, and no internal detail', async () => {
    const token = await aToken(world, school, ada)
    await sql`alter table payments rename to payments_away`.execute(db)
    try {
      const query = '{ __typename viewer { name payments { totalCount } } }'
      for (let i = 0; i < 3; i++) {
        const answer = await postGraphQL(world, school, token, { query })
        expect(answer.statusCode).toBe(200)
        const { data, errors } = answer.json()
        expect(data).toEqual({ __typename: 'Query', viewer: null })
        expect(errors).toHaveLength(1)
        expect(errors[0]).toMatchObject({
          path: ['viewer', 'payments', 'totalCount'],
          extensions: { code: 'server_error' },
        })
        expect(errors[0].message).toContain(answer.headers['x-request-id'])
        expect(answer.body).not.toMatch(/relation|payments_away|select|at \w+ \(/)
      }
    } finally {
      await sql`alter table payments_away rename to payments`.execute(db)
    }
    const { errors } = await ask(world, school, token, '{ viewer { payments { totalCount } } }')
    expect(errors).toBeUndefined()
  })

  test('a canceled statement is 503 with Retry-After, not a partial answer', async () => {
    const token = await aToken(world, school, ada)
    const blocker = await connect(connection)
    try {
      await blocker.query('begin; lock table notifications in access exclusive mode')
      const waiting = postGraphQL(world, school, token, {
        query: '{ viewer { name notifications { nodes { id } } } }',
      })
      await cancelWaiting(blocker)
      const answer = await waiting
      expect(answer.statusCode).toBe(503)
      expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
      expect(answer.headers['retry-after']).toBeDefined()
      expect(answer.headers['www-authenticate']).toBeUndefined()
    } finally {
      await blocker.query('rollback')
      await blocker.end()
    }
  })
})

/** Cancels the statement as soon as it waits, as the statement timeout does. */
async function cancelWaiting(client: Awaited<ReturnType<typeof connect>>): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    if ((rowCount ?? 0) > 0) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
