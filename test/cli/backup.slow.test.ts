import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDemoWorld } from '../../src/demo/demo-world.ts'
import { createSchool } from '../../src/domain/schools/write-school.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'
import { environmentOf, run, SECRET } from './support/run.ts'

const source = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'schoolgate-backup-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const file = join(folder, 'whole.gz')

beforeAll(async () => {
  await createDemoWorld(source.db, { port: 3000, keyring: new Keyring(SECRET) })
  await source.db
    .insertInto('audit_entries')
    .values({
      id: '0198c0de-0000-7000-8000-000000000000',
      action: 'token.issued',
      outcome: 'ok',
      detail: JSON.stringify({
        text: 'line\nbreak \u2028 "quoted" \\ 🔑',
        nothing: null,
        deep: [1.5],
      }),
    })
    .execute()
  const written = await backup(source.connection, file)
  expect(written.code, written.stderr).toBe(0)
})

const backup = (connection: pg.ClientConfig, output: string) =>
  run(['backup', '--json', '--output', output], environmentOf(connection))
const restore = (connection: pg.ClientConfig, from: string) =>
  run(['backup', 'restore', '--json', from], environmentOf(connection))

const verify = (from: string) => run(['backup', 'verify', '--json', from], {})

/** The archive of a text with one character changed after its checksum was made. */
function changed(text: string, before: string): Buffer {
  const bytes = gzipSync(text, { level: 0 })
  const place = bytes.indexOf(before) + before.length
  return bytes.fill('~', place, place + 1)
}

/** One text per table that is equal only if all rows are equal. */
async function contentsOf(connection: pg.ClientConfig): Promise<Record<string, string>> {
  const client = await connect(connection)
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'`,
  )
  const contents: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<{ text: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as text from ${name} t`,
    )
    contents[name] = rows[0]?.text ?? ''
  }
  await client.end()
  return contents
}

/** Constraints, indexes and triggers, which a restore must not change. */
async function rulesOf(connection: pg.ClientConfig): Promise<unknown> {
  const client = await connect(connection)
  const { rows } = await client.query(
    `select conrelid::regclass::text as place, pg_get_constraintdef(oid) as rule from pg_constraint
     where connamespace = 'public'::regnamespace
     union all
     select indrelid::regclass::text, pg_get_indexdef(indexrelid) || indisvalid from pg_index
     where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
     union all
     select tgrelid::regclass::text, tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
     order by 1, 2`,
  )
  await client.end()
  return rows
}

describe('a backup', () => {
  test('restores every row of every table, and does not change the constraints, indexes and triggers', async () => {
    const target = await emptyDatabase()
    const rules = await rulesOf(target)
    const restored = await restore(target, file)
    expect(restored.code, restored.stderr).toBe(0)
    const contents = await contentsOf(source.connection)
    expect(await contentsOf(target)).toEqual(contents)
    expect(Object.keys(contents).length).toBeGreaterThan(40)
    expect(await rulesOf(target)).toEqual(rules)
    expect(restored.json.rows).toBeGreaterThan(1000)
  })

  test('is readable only by its owner, and leaves no temporary file', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readdir(folder)).filter((name) => name.includes('part'))).toEqual([])
  })

  test('names its format and schema in the first line', async () => {
    const [first = ''] = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
    expect(JSON.parse(first)).toMatchObject({
      backup: 'schoolgate',
      format: 1,
      migration: { number: expect.any(Number) },
    })
  })

  test('is proved whole without a database, and says what restores it', async () => {
    const { code, json } = await verify(file)
    expect(code).toBe(0)
    expect(json).toMatchObject({
      fits: true,
      rows: expect.any(Number),
      version: expect.any(String),
    })
    expect(json.tables.audit_entries).toBeGreaterThan(0)
    const missing = await verify(join(folder, 'missing'))
    expect(missing).toMatchObject({ code: 1, json: { error: expect.stringContaining('no file') } })
  })

  test('never overwrites a file', async () => {
    const before = await readFile(file)
    const again = await backup(source.connection, file)
    expect(again).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('exists already') },
    })
    expect((await readFile(file)).equals(before)).toBe(true)
    const nowhere = await backup(source.connection, join(folder, 'no', 'such.gz'))
    expect(nowhere).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('does not exist') },
    })
  })

  test('is a snapshot of one moment, even if schools are added while it is written', async () => {
    const busy = await testDatabase()
    let writing = true
    const writer = async (): Promise<number> => {
      for (let i = 0; ; i++) {
        if (!writing) return i
        const details = { subdomain: `s${i}`, origin: `https://s${i}.example`, name: `s${i}` }
        await busy.db
          .transaction()
          .execute((tx) => createSchool(tx, details, { via: 'command_line' }))
      }
    }
    const writers = writer()
    const moment = join(folder, 'moment.gz')
    const written = await backup(busy.connection, moment)
    writing = false
    await writers
    expect(written.code, written.stderr).toBe(0)
    const { tables } = written.json
    expect([tables.appearances, tables.audit_entries]).toEqual([tables.schools, tables.schools])
    expect(await restore(await emptyDatabase(), moment)).toMatchObject({ code: 0 })
  })
})

describe('a restore', () => {
  test('says whether the secret fits', async () => {
    expect((await restore(await emptyDatabase(), file)).json.secretProblem).toBeNull()
    const wrong = 'another secret, as long as it has to be'
    const env = { ...environmentOf(await emptyDatabase()), SCHOOLGATE_SECRET: wrong }
    const { code, stdout } = await run(['backup', 'restore', file], env)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Restored \d+ rows.*not the one that this database was made with/)
    expect(stdout).toContain('keys accept-secret')
  })

  test('needs an empty database', async () => {
    const refused = await restore(source.connection, file)
    expect(refused).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('not empty') },
    })
  })

  test('of a truncated, changed or unrelated file changes nothing', async () => {
    const small = join(folder, 'small.gz')
    const few = await testDatabase()
    const details = { subdomain: 'one', origin: 'https://one.example', name: 'One' }
    await few.db.transaction().execute((tx) => createSchool(tx, details, { via: 'command_line' }))
    expect(await backup(few.connection, small)).toMatchObject({ code: 0 })
    const lines = gunzipSync(await readFile(small))
      .toString()
      .split('\n')
    const row = lines.findIndex((line) => line.startsWith('['))
    const bad: Record<string, Buffer> = {
      'cut off': (await readFile(small)).subarray(0, 1000),
      'without its end': gzipSync(lines.slice(0, -2).join('\n')),
      'without a row': gzipSync(lines.toSpliced(row, 1).join('\n')),
      'without its beginning': gzipSync(lines.slice(1).join('\n')),
      'another archive': gzipSync('hello'),
      'with a changed letter in a heading': changed(lines.join('\n'), '{"table":"'),
      'with a changed letter in a row': changed(lines.join('\n'), '\n["'),
      'no archive': Buffer.from('hello'),
      empty: Buffer.alloc(0),
    }
    const target = await emptyDatabase()
    const before = [await contentsOf(target), await rulesOf(target)]
    for (const [name, content] of Object.entries(bad)) {
      const path = join(folder, name)
      await writeFile(path, content)
      for (const refused of [await restore(target, path), await verify(path)]) {
        expect(refused, name).toMatchObject({
          code: 1,
          json: { error: expect.stringContaining('not a whole') },
        })
      }
    }
    expect(await restore(target, join(folder, 'missing'))).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('There is no file') },
    })
    expect([await contentsOf(target), await rulesOf(target)]).toEqual(before)
  })

  test('of another schema names the version to use, before any index is taken off', async () => {
    const lines = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
    const manifest = JSON.parse(lines[0] ?? '')
    const older = {
      ...manifest,
      version: '0.0.1',
      migration: { ...manifest.migration, name: '0018-codes-of-a-client.sql' },
    }
    const path = join(folder, 'older.gz')
    await writeFile(path, gzipSync([JSON.stringify(older), ...lines.slice(1)].join('\n')))
    const query = vi.spyOn(pg.Client.prototype, 'query')
    const refused = await restore(await emptyDatabase(), path)
    expect(refused).toMatchObject({
      code: 1,
      json: { remedy: expect.stringContaining('version 0.0.1') },
    })
    const texts = query.mock.calls.map(([asked]) => String(asked))
    expect(texts).toContain('rollback')
    expect(texts.filter((text) => text.includes('drop index'))).toEqual([])
  })

  describe('of rows that no server would write changes nothing', () => {
    type Row = (string | null)[]
    let target: pg.ClientConfig
    let before: readonly unknown[]

    beforeAll(async () => {
      target = await emptyDatabase()
      before = [await contentsOf(target), await rulesOf(target)]
    })

    const someone = '0198c0de-dead-7000-8000-000000000000'
    const missing = '0198c0de-dead-7000-8000-000000000001'

    test.each<[string, string, string, (row: Row, place: (name: string) => number) => Row]>([
      [
        'a comment below one that is missing',
        'comments',
        'foreign key',
        (row, place) => row.with(place('id'), someone).with(place('parent_id'), missing),
      ],
      [
        'a comment on a lecture that is missing',
        'comments',
        'foreign key',
        (row, place) => row.with(place('id'), someone).with(place('lecture_id'), missing),
      ],
      ['a row twice', 'users', 'unique', (row) => row],
      [
        'an address of another person',
        'users',
        'unique',
        (row, place) => row.with(place('id'), someone),
      ],
      ['a row without its last value', 'users', 'not a whole', (row) => row.slice(0, -1)],
      ['a row with a value too many', 'users', 'not a whole', (row) => [...row, null]],
      [
        'a role that there is not',
        'school_members',
        'check constraint',
        (row, place) => row.with(place('user_id'), someone).with(place('roles'), '{emperor}'),
      ],
    ])('%s', async (name, table, problem, alter) => {
      const lines = gunzipSync(await readFile(file))
        .toString()
        .split('\n')
      const start = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`))
      const columns: { name: string }[] = JSON.parse(lines[start] ?? '').columns
      const place = (wanted: string) => columns.findIndex((column) => column.name === wanted)
      const added = alter(JSON.parse(lines[start + 1] ?? ''), place)
      const end = lines.findIndex((line) => line.startsWith(`{"end":"${table}"`))
      const footing = JSON.parse(lines[end] ?? '')
      const last = lines.findIndex((line) => line.startsWith('{"complete"'))
      const ending = JSON.parse(lines[last] ?? '')
      const altered = lines
        .with(last, JSON.stringify({ ...ending, rows: ending.rows + 1 }))
        .with(end, JSON.stringify({ ...footing, rows: footing.rows + 1 }))
        .toSpliced(start + 1, 0, JSON.stringify(added))
      const path = join(folder, `${name}.gz`)
      await writeFile(path, gzipSync(altered.join('\n')))
      const refused = await restore(target, path)
      expect(refused.code, refused.stdout).toBe(1)
      expect(refused.stderr).toContain(problem)
      expect([await contentsOf(target), await rulesOf(target)]).toEqual(before)
    })
  })

  test('copies many rows of a table at once, about a megabyte', async () => {
    const database = await testDatabase()
    await sql`
      insert into audit_entries (id, action, outcome, detail)
      select gen_random_uuid(), 'token.issued', 'ok', jsonb_build_object('text', repeat('a', 4000))
      from generate_series(1, 500)`.execute(database.db)
    const path = join(folder, 'many.gz')
    expect(await backup(database.connection, path)).toMatchObject({ code: 0 })
    const query = vi.spyOn(pg.Client.prototype, 'query')
    expect(await restore(await emptyDatabase(), path)).toMatchObject({ code: 0 })
    const texts = query.mock.calls.map(([asked]) => (asked as { text?: unknown }).text)
    const copies = texts.filter((text) => String(text).startsWith('copy "audit_entries" '))
    expect(copies.length).toBeGreaterThan(1)
    expect(copies.length).toBeLessThan(6)
  })
})
