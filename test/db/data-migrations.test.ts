import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { dropDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

/** Migrations that change rows, on a database with rows from before. */

const server = inject('postgres')
const admin = await connect(server)
afterAll(() => admin.end())
const all = await loadMigrations()

/** A database as it was before the migration, and a function that applies the migration. */
async function before(name: string): Promise<{ client: pg.Client; apply: () => Promise<unknown> }> {
  const database = `rows_${randomBytes(8).toString('hex')}`
  await admin.query(`create database ${database}`)
  const client = await connect({ ...server, database })
  whenFileIsDone(async () => {
    await client.end()
    await dropDatabase(server, database)
  })
  const place = all.findIndex((migration) => migration.name.endsWith(name))
  for (const { sql } of all.slice(0, place)) await client.query(sql)
  return { client, apply: () => client.query(all[place]?.sql ?? '') }
}

async function aSchool(client: pg.Client): Promise<string> {
  const id = randomUUID()
  await client.query(
    `insert into schools (id, subdomain, origin, name, time_zone)
     values ($1, 'north', 'https://north.test', 'North', 'Asia/Taipei')`,
    [id],
  )
  return id
}

test('an explorer that a school deleted is switched off', async () => {
  const { client, apply } = await before('-explorer-stays.sql')
  const school = await aSchool(client)
  for (const id of ['member-api-explorer', 'planner']) {
    await client.query(
      `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes, deleted_at)
       values ($1, $2, 'application', 'member', $2, '{https://north.test/}', '{openid}', now())`,
      [school, id],
    )
  }
  await apply()
  const { rows } = await client.query(
    `select client_id, deleted_at is null as kept, disabled_at is not null as off
     from clients order by client_id`,
  )
  expect(rows).toEqual([
    { client_id: 'member-api-explorer', kept: true, off: true },
    { client_id: 'planner', kept: false, off: false },
  ])
})
