import { beforeAll, describe, expect, test } from 'vitest'
import type { BulkKind } from '../../src/domain/bulk/kind.ts'
import { BULK_KINDS } from '../../src/domain/catalogue/bulk-kinds.ts'
import { csvLine } from '../../src/foundation/tabular/csv-reader.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { addExamples, everyRow } from '../support/example-school.ts'
import { sharedWorld, type TestSchool, type World } from '../support/world.ts'

let world: World
let school: TestSchool

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  await addExamples(world, school)
})

function asCsv(row: Readonly<Record<string, unknown>>): string {
  const cells = Object.values(row).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  )
  return csvLine(Object.keys(row)) + csvLine(cells)
}

const rowsOf = async (kind: BulkKind): Promise<Record<string, unknown>[]> =>
  (await exportFrom(school, kind))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.each(BULK_KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  test('imports its example, and importing it again changes nothing', async () => {
    const before = await everyRow(school)
    const rehearsed = await importInto(school, kind, [kind.example], { dryRun: true })
    expect(rehearsed, JSON.stringify(rehearsed)).toMatchObject({ rows: 1, failed: 0, unchanged: 0 })
    expect(await everyRow(school)).toBe(before)
    const first = await importInto(school, kind, [kind.example])
    expect(first, JSON.stringify(first)).toMatchObject({ rows: 1, failed: 0, unchanged: 0 })
    const after = await everyRow(school)
    const again = await importInto(school, kind, [kind.example])
    expect(again, JSON.stringify(again)).toMatchObject({ unchanged: 1, failed: 0 })
    const csv = await importInto(school, kind, asCsv(kind.example), { format: 'csv' })
    expect(csv, JSON.stringify(csv)).toMatchObject({ unchanged: 1, failed: 0 })
    expect(await everyRow(school)).toBe(after)
  })

  test('exports objects that match its schema, and importing either format changes nothing', async () => {
    const rows = await rowsOf(kind)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(kind.of.schema.safeParse(row).error).toBeUndefined()
    for (const format of ['ndjson', 'csv'] as const) {
      const file = await exportFrom(school, kind, format)
      const back = await importInto(school, kind, file, { format })
      expect(back, JSON.stringify(back)).toMatchObject({ failed: 0, unchanged: rows.length })
    }
  })
})
