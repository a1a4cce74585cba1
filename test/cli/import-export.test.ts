import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { BULK_KINDS } from '../../src/domain/catalogue/bulk-kinds.ts'
import { testDatabase } from '../support/database.ts'
import { environmentOf, run } from './support/run.ts'

const database = await testDatabase()
const env = environmentOf(database.connection)
const folder = await mkdtemp(join(tmpdir(), 'schoolgate-bulk-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const school = ['--school', 'north']
const schoolgate = (argv: readonly string[], input?: string) => run(argv, env, input)

await schoolgate([
  ...['school', 'create', '--subdomain', 'north', '--origin', 'https://north.example'],
  ...['--name', 'North'],
])

async function aFile(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

describe('schoolgate import', () => {
  test('imports what no scope can write: people, orders, their payments, notifications', async () => {
    const files = {
      students: '{"email":"ada@people.test","name":"Ada"}\n',
      orders:
        '{"number":"A1","member_email":"ada@people.test","state":"open","total_amount":900}\n',
      payments: 'trade_no,order_number,amount,payment_type\nT1,A1,900,atm\n',
      notifications: '{"external_id":"1","member_email":"ADA@people.test","kind":"x","title":"X"}',
    }
    for (const [kind, text] of Object.entries(files)) {
      const file = await aFile(`${kind}.${text.startsWith('{') ? 'ndjson' : 'csv'}`, text)
      const done = await schoolgate(['import', kind, file, ...school, '--json'])
      expect(done.code, done.stderr + done.stdout).toBe(0)
      expect(done.json).toMatchObject({ resource: kind, created: 1, failed: 0, complete: true })
      expect(done.stderr).toBe('')
    }
    const [payment] = await database.db.selectFrom('payments').selectAll().execute()
    expect(payment).toMatchObject({ trade_no: 'T1', amount: 900, state: 'pending' })
  })

  test('exits with 1 and names the lines of refused rows, and reads standard input', async () => {
    const rows = 'slug,title\na,A\nB,B\nc,C\n'
    const done = await schoolgate(['import', 'pages', '-', '--format', 'csv', ...school], rows)
    expect(done.code).toBe(1)
    expect(done.stdout).toContain('line 3: slug: ')
    expect(done.stdout).toContain('3 rows: 2 made, 0 changed, 0 as they were, 1 refused.')
    const dry = ['import', 'pages', '--format', 'csv', '--dry-run', '--from-line', '4', ...school]
    expect((await schoolgate(dry, rows)).stdout).toBe(
      'A dry run, nothing was written. 1 rows: 0 made, 0 changed, 1 as they were, 0 refused.\n',
    )
  })

  test('says which line to continue from if it stops early', async () => {
    const rows = '{"slug":"x"}\n'.repeat(3)
    const done = await schoolgate(['import', 'pages', '--max-errors', '2', ...school], rows)
    expect(done.code).toBe(1)
    expect(done.stdout).toContain('continue with --from-line 4')
  })

  test.each([
    [['nothing', '-', ...school], 2, 'There is nothing called "nothing".'],
    [['pages', '/no/such/file', ...school], 2, 'There is no file /no/such/file.'],
    [['pages', '-'], 2, 'No school was named.'],
    [['pages', '-', '--format', 'xml', ...school], 2, 'There is no format "xml".'],
    [['pages', '-', '--from-line', '0', ...school], 2, '--from-line'],
    [['pages', '-', '--school', 'south'], 1, 'There is no school "south".'],
  ])('%j exits with %i', async (argv, code, told) => {
    const done = await schoolgate(['import', ...argv])
    expect(done.code).toBe(code)
    expect(done.stderr).toContain(told)
    expect(done.stderr).toContain('→')
  })

  test('refuses a header without known columns before it writes', async () => {
    const file = await aFile('pages.csv', 'slug,titel\na,A\n')
    const done = await schoolgate(['import', 'pages', file, ...school])
    expect(done.code).toBe(1)
    expect(done.stderr).toContain('titel: ')
    expect(done.stderr).toContain('import pages --columns')
  })

  test('lists the columns of every kind without a database', async () => {
    for (const { name, columns } of BULK_KINDS) {
      const { code, stdout } = await run(['import', name, '--columns'], {})
      expect(code).toBe(0)
      for (const column of Object.keys(columns)) expect(stdout).toContain(column)
    }
    const { json } = await run(['import', 'coupons', '--columns', '--json'], {})
    expect(json).toMatchObject({ kind: 'coupons', named_by: 'id, otherwise code' })
  })
})

describe('schoolgate export', () => {
  test('writes a file that an import accepts, and leaves no partial file', async () => {
    const file = join(folder, 'out.csv')
    const done = await schoolgate(['export', 'pages', ...school, '--output', file, '--json'])
    expect(done.json).toMatchObject({ kind: 'pages', format: 'csv', rows: 2, output: file })
    expect(await readFile(file, 'utf8')).toMatch(/^id,slug,title,body,position,state/)
    const back = await schoolgate(['import', 'pages', file, ...school, '--json'])
    expect(back.json).toMatchObject({ unchanged: 2, failed: 0 })
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  test('writes only the rows to standard output', async () => {
    const done = await schoolgate(['export', 'pages', ...school, '--json'])
    const rows = done.stdout.trim().split('\n')
    expect(rows.map((row) => JSON.parse(row).object)).toEqual(['page', 'page'])
    expect(JSON.parse(done.stderr)).toMatchObject({ rows: 2, output: null })
    const { id } = JSON.parse(rows[0] ?? '')
    const rest = await schoolgate(['export', 'pages', ...school, '--after', id])
    expect(rest.stdout.trim()).toBe(rows[1])
  })

  test('accepts the filters of the list', async () => {
    const where = ['--where', 'slug=a', '--where', 'created_after=2020-01-01T00:00:00Z']
    const done = await schoolgate(['export', 'pages', ...school, ...where])
    expect(JSON.parse(done.stdout)).toMatchObject({ slug: 'a' })
  })

  test.each([
    [['--after', 'x'], '--after x is no key of pages.'],
    [['--where', 'colour=red'], '--where colour=red names no filter of pages.'],
    [['--where', 'state=lost'], '--where state=lost: '],
  ])('refuses %j', async (argv, told) => {
    const done = await schoolgate(['export', 'pages', ...school, ...argv])
    expect(done.code).toBe(2)
    expect(done.stderr).toContain(told)
  })
})
