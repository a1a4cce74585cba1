import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { mayHold, mayHoldInSql, ROLES } from '../../src/domain/actor/actor.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()

/** Every set of roles, also the empty one. */
const sets: string[][] = [[]]
for (const role of ROLES) sets.push(...sets.map((set) => [...set, role]))

test('the database and the code agree on which roles may hold a token', async () => {
  for (const audience of ['member', 'operator'] as const) {
    for (const roles of sets) {
      const { rows } = await sql<{ holds: boolean }>`
        select ${mayHoldInSql(sql`${audience}::text`, sql`${roles}::text[]`)} as holds`.execute(db)
      expect([audience, roles, rows[0]?.holds]).toEqual([audience, roles, mayHold(audience, roles)])
    }
  }
})
