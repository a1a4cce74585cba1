import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const { db } = await testDatabase()

/** Their rows stay for ever, whoever leaves: nothing ever looks for what refers to them. */
const NEVER_DELETED = ['schools', 'users']

test('whatever refers to a row that is deleted is found by an index', async () => {
  const { rows } = await sql<{ table: string; parent: string }>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as parent
    from pg_constraint c
    where c.contype = 'f' and not exists (
      select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = any (c.conkey))`.execute(
    db,
  )
  expect(rows.filter(({ parent }) => !NEVER_DELETED.includes(parent))).toEqual([])
})
