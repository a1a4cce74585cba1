import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { anOwner } from '../../support/operator-like.ts'
import { checkRows, exportRows, importChecked, sendRows } from '../../support/transfers.ts'
import { aWorld } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-hostile-'))
whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
const world = await aWorld({
  files: createDiskStore(folder),
  limits: { uploadBytes: 4_000_000 },
})

/**
 * Checks and imports study groups. Returns the page of the check, and the exported names
 * afterwards.
 */
async function importGroups(owner: Visitor, rows: string | Buffer, name = 'rows.csv') {
  const path = await checkRows(world, owner, rows, { name, resource: 'study-groups' })
  const { body } = await owner.get(path)
  if (body.includes(`${path}/import`)) await importChecked(world, owner, path)
  const file = await exportRows(world, owner, 'study-groups', { format: 'ndjson' })
  const lines = file.split('\n').filter((line) => line !== '')
  return { body, names: lines.map((line) => String(JSON.parse(line).name)).sort() }
}

describe('a file for a list', () => {
  test('attack: names that a spreadsheet runs as formulas are exported as text, and come back unchanged', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const formulas = ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', "'=1"]
    const rows = formulas.map((name, place) => JSON.stringify({ external_id: `${place}`, name }))
    const { names } = await importGroups(owner, rows.join('\n'), 'rows.ndjson')
    expect(names).toEqual([...formulas].sort())
    const csv = await exportRows(world, owner, 'study-groups')
    const cells = csv.split(/[,\r\n]+/)
    expect(cells.filter((cell) => /^"?[=+\-@]/.test(cell))).toEqual([])
    const other = await anOwner(world, await world.aSchool())
    expect((await importGroups(other, csv)).names).toEqual([...formulas].sort())
  })

  test('attack: a cell of two megabytes ends the import at its line, which is told, and the rows before it are imported', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const rows = `external_id,name\na,First\nb,${'x'.repeat(2 * 1024 * 1024)}\nc,Last\n`
    const { body, names } = await importGroups(owner, rows)
    expect(body).toContain('Line 3:')
    expect(names).toEqual(['First'])
  })

  test('attack: a quotation mark that is never closed swallows no row in silence', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const { body, names } = await importGroups(
      owner,
      'external_id,name\na,First\nb,"Second\nc,Last\n',
    )
    expect(body).toContain('Line 3:')
    expect(names).toEqual(['First'])
  })

  test('attack: markup in headings and values is shown as text', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const markup = '<script>alert(1)</script>'
    const { body } = await importGroups(
      owner,
      `external_id,name,${markup}\na,${markup},${markup}\n`,
    )
    expect(body).not.toContain(markup)
    expect(body).toContain('&lt;script>')
  })

  test('in UTF-16 or Latin-1 is told to be no UTF-8, and nothing is imported', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const text = 'external_id,name\na,Zoë\n'
    for (const rows of [Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text, 'latin1')]) {
      const { body, names } = await importGroups(owner, rows)
      expect(body).toContain('not UTF-8')
      expect(names).toEqual([])
    }
  })

  test('with one name in Latin-1 tells the line of that name, and the rows before it are imported', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const rows = Buffer.concat([
      Buffer.from('external_id,name\na,Zoë\nb,Second\n'),
      Buffer.from('c,Zoë\nd,Last\n', 'latin1'),
    ])
    const { body, names } = await importGroups(owner, rows)
    expect(body).toContain('Line 4: From here on the file is not UTF-8.')
    expect(names).toEqual(['Second', 'Zoë'])
  })

  test('with tabs and another ending is read as a table, and a workbook is refused with what to do', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const { names } = await importGroups(owner, 'external_id\tname\na\tFirst\n', 'groups.txt')
    expect(names).toEqual(['First'])
    const workbook = await sendRows(owner, 'PK\u0003\u0004', { name: 'groups.XLSX' })
    expect(workbook.statusCode).toBe(422)
    expect(workbook.body).toContain('Save its sheet as CSV')
  })

  test('attack: headings named like members that every object has leave the page of the check as it is', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const { body } = await importGroups(owner, 'external_id,name,constructor\na,First,1\n')
    expect(body).toContain('Nothing is written yet')
    expect(body).toContain('The heading names a column that')
  })

  test('without rows says so, and promises nothing', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const { body } = await importGroups(owner, 'external_id,name\n')
    expect(body).toContain('The file has 0 rows.')
    expect(body).not.toContain('All of them can be imported')
  })

  test('with the mark of UTF-8 at its beginning and semicolons is read as spreadsheets write it', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const rows = '\ufeffexternal_id;name\r\na;"Zoë; and others"\r\n'
    expect((await importGroups(owner, rows)).names).toEqual(['Zoë; and others'])
  })
})
