import { expect, test } from 'vitest'
import { createDemoWorld } from '../../src/demo/demo-world.ts'
import type { BulkKind } from '../../src/domain/bulk/kind.ts'
import { BULK_KINDS } from '../../src/domain/catalogue/bulk-kinds.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { aWorld, type TestSchool } from '../support/world.ts'

/** Rows without what a file does not carry: write times and counts of other rows. */
async function rowsOf(school: TestSchool, kind: BulkKind): Promise<Record<string, unknown>[]> {
  const file = await exportFrom(school, kind)
  return file
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const row: Record<string, unknown> = JSON.parse(line)
      const names = [...kind.key, ...Object.keys(kind.columns)]
      return Object.fromEntries(names.map((name) => [name, row[name]]))
    })
}

test('a whole school is exported and imported into an empty one, kind by kind, without a difference', async () => {
  const world = await aWorld()
  await createDemoWorld(world.database.db, {
    port: 3000,
    keyring: new Keyring('a secret that is long enough for a test of moving schools'),
  })
  const from = await world.theSchoolAt('http://localhost:3000')
  const to = await world.aSchool()
  const failed = new Map<BulkKind, number>()
  for (const [place, kind] of BULK_KINDS.entries()) {
    const format = place % 2 === 0 ? 'ndjson' : 'csv'
    const file = await exportFrom(from, kind, format)
    const done = await importInto(to, kind, file, { format })
    expect(done.complete).toBe(true)
    // People who left are not exported, so rows about them are refused at the new school.
    const codes = new Set(done.errors.flatMap(({ errors }) => errors.map(({ code }) => code)))
    for (const code of ['unknown_reference', 'not_enrolled'] as const) codes.delete(code)
    expect([...codes], `${kind.name} ${JSON.stringify(done.errors)}`).toEqual([])
    failed.set(kind, done.failed)
  }
  for (const kind of BULK_KINDS) {
    const [there, here] = [await rowsOf(to, kind), await rowsOf(from, kind)]
    const keyOf = (row: Record<string, unknown>) => kind.key.map((name) => row[name]).join()
    const moved = new Set(there.map(keyOf))
    expect(there.length, kind.name).toBeGreaterThan(0)
    expect(there.length + (failed.get(kind) ?? 0), kind.name).toBe(here.length)
    expect(there, kind.name).toEqual(here.filter((row) => moved.has(keyOf(row))))
  }
})
