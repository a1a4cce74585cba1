import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const { db } = await testDatabase()

/** Rows of these tables are never deleted, so no foreign key to them is looked up. */
const NEVER_DELETED = ['schools', 'users']

test('the rows that refer to a deleted row are found by an index', async () => {
  const { rows } = await sql<{ table: string; parent: string }>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as parent
    from pg_constraint c
    where c.contype = 'f' and not exists (
      select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = any (c.conkey))`.execute(
    db,
  )
  expect(rows.filter(({ parent }) => !NEVER_DELETED.includes(parent))).toEqual([])
})
