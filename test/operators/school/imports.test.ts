import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { finishJobs, jobRow } from '../../support/jobs.ts'
import { anOwner } from '../../support/operator-like.ts'
import {
  checkRows,
  chooseColumns,
  importChecked,
  pathIn,
  tokenOn,
} from '../../support/transfers.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-imports-'))
whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
const world = await aWorld({ files: createDiskStore(folder) })

/** Sends a file and waits for its check. Returns the path of the check. */
const check = (owner: Visitor, rows: string, name = 'rows.csv', resource = 'students') =>
  checkRows(world, owner, rows, { name, resource })

/** Imports what was checked. Returns the path of the import. */
const start = (owner: Visitor, path: string) => importChecked(world, owner, path)

const emails = async (school: TestSchool): Promise<string[]> => {
  const rows = await world.database.db
    .selectFrom('school_members')
    .innerJoin('users', 'users.id', 'school_members.user_id')
    .select('users.email')
    .where('school_id', '=', school.id)
    .orderBy('users.email')
    .execute()
  return rows.map(({ email }) => email ?? '')
}

const typedNames = async ({ db }: TestSchool): Promise<unknown[]> => {
  const members = await db
    .from('school_members')
    .select('typed_name')
    .where('typed_name', 'is not', null)
    .orderBy('typed_name')
    .execute()
  return members.map(({ typed_name }) => typed_name)
}

const chosenIn = (html: string): string[] =>
  [...html.matchAll(/<select id="column-\d+"[^>]*>(.*?)<\/select>/gs)].map(
    ([, options = '']) => /<option value="([^"]*)" selected/.exec(options)?.[1] ?? '',
  )

describe('a file of students', () => {
  test('is checked first: its page has the columns, each wrong row with its line, and nothing is written', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const before = await emails(school)
    const path = await check(
      owner,
      'E-Mail;Full Name;Shoe size\nkit@example.test;Kit;40\nno-mail;Ben;41\nmax@example.test;Max;42\n',
    )
    const { body } = await owner.get(path)
    expect(chosenIn(body)).toEqual(['email', 'name', ''])
    expect(body).toContain('The file has 3 rows. 1 row would be refused')
    expect(body).toContain('Line 3:')
    expect(body).toContain('Import the other 2 rows')
    expect(await emails(school)).toEqual(before)
  })

  test('is imported by one button, once, and the refused rows are a file', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const path = await check(owner, 'Mail,Name\nkit@example.test,Kit\n=no,"=1+1"\n')
    const imported = await start(owner, path)
    expect(await emails(school)).toContain('kit@example.test')
    expect((await owner.get(imported)).body).toContain('Download the refused rows')
    const file = await owner.get(`${imported}/file`)
    expect(file.body).toMatch(/^line,column,problem\r\n3,email,/)
    const form_token = tokenOn((await owner.get(path)).body)
    expect((await owner.post(`${path}/import`, { form_token })).statusCode).toBe(409)
    expect((await owner.get(path)).body).not.toContain('Import the other')
  })

  test('is imported to its end although more rows are refused than are told, and all of them are counted', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const wrong = Array.from({ length: 1100 }, () => 'no-mail,Ben\n').join('')
    const path = await check(owner, `email,name\n${wrong}last@example.test,Kit\n`)
    const { body: checked } = await owner.get(path)
    expect(checked).toContain('Only the first 1,000 of 1,101 rows were checked.')
    expect(checked).toContain('Import the file')
    const imported = await start(owner, path)
    expect(await emails(school)).toContain('last@example.test')
    const { body } = await owner.get(imported)
    expect(body).toContain('Failed: 1,100')
    expect(body).toContain('And 1,050 more.')
    expect(body).toContain('The reasons of the first 1,000 are kept.')
    expect(body).not.toContain('ended before the end of the file')
    const row = await jobRow(school, imported.split('/').at(-1) ?? '')
    expect([Number(row.done_count), Number(row.total_count)]).toEqual([1101, 1101])
    const file = await owner.get(`${imported}/file`)
    expect(file.body.trim().split('\n')).toHaveLength(1001)
  })

  test('whose check ended at many wrong rows does not state the checked rows as all of them', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const rows = Array.from({ length: 1500 }, (_, place) =>
      place < 100 ? 'no-mail,Ben\n' : `kit${place}@example.test,Kit\n`,
    )
    const path = await check(owner, `email,name\n${rows.join('')}`)
    const { body } = await owner.get(path)
    expect(body).toContain('Only the first 1,000 of 1,500 rows were checked. 100 rows would be')
    expect(body).not.toContain('Import the other')
    expect(body).not.toContain('The file has')
  })

  test('that cannot be read to its end says from which line on nothing was imported', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const path = await check(owner, 'email,name\nkit@example.test,Kit\n"max@example.test,Max\n')
    const { body } = await owner.get(await start(owner, path))
    expect(await emails(school)).toContain('kit@example.test')
    expect(body).toContain('The import ended before the end of the file')
    expect(body).toContain('Rows from line 3 on were not imported.')
  })

  test('keeps the columns that were chosen for the next file of this school alone', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const rows = 'Kontakt,Rufname\nkit@example.test,Kit\n'
    const path = await check(owner, rows)
    const { body } = await owner.get(path)
    expect(chosenIn(body)).toEqual(['', ''])
    const again = await owner.post(`${path}/columns`, [
      ['form_token', tokenOn(body)],
      ['heading', 'Kontakt'],
      ['column', 'email'],
      ['heading', 'Rufname'],
      ['column', 'name'],
    ])
    await finishJobs(world)
    expect((await owner.get(pathIn(again))).body).toContain('Import 1 row')
    expect(chosenIn((await owner.get(await check(owner, rows))).body)).toEqual(['email', 'name'])
    const other = await anOwner(world, await world.aSchool())
    expect(chosenIn((await other.get(await check(other, rows))).body)).toEqual(['', ''])
  })

  test('may be NDJSON with other names', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const rows = '{"mail":"kit@example.test","full_name":"Kit","age":4}\n'
    const path = await check(owner, rows, 'rows.ndjson')
    expect(chosenIn((await owner.get(path)).body)).toEqual(['email', 'name', ''])
    await start(owner, path)
    expect(await emails(school)).toContain('kit@example.test')
  })
})

describe('the headings of a file', () => {
  const choose = (owner: Visitor, path: string, columns: [string, string][]) =>
    chooseColumns(world, owner, path, columns)

  test('that got the same column ask for another one, keep the file, and are not remembered', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const rows = 'Kontakt,Privat,Name\nkit@example.test,max@example.test,Kit\n'
    const twice = await choose(owner, await check(owner, rows), [
      ['Kontakt', 'email'],
      ['Privat', 'email'],
      ['Name', 'name'],
    ])
    const { body } = await owner.get(twice)
    expect(body).toContain('Two headings have the column “Email”. Choose it for one of them.')
    expect(body).not.toContain(`${twice}/import`)
    const form_token = tokenOn(body)
    expect((await owner.post(`${twice}/import`, { form_token })).statusCode).toBe(409)
    expect(chosenIn(body)).toEqual(['email', 'email', 'name'])
    expect(chosenIn((await owner.get(await check(owner, rows))).body)).toEqual(['', '', 'name'])
    const once = await choose(owner, twice, [
      ['Kontakt', 'email'],
      ['Privat', ''],
      ['Name', 'name'],
    ])
    expect((await owner.get(once)).body).toContain('Import 1 row')
  })

  test('with parts of a name are joined, in the order of the file, and remembered', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const rows = 'Mail,First,Last\nkit@example.test, Kit ,Example\nmax@example.test,Max,\n'
    const chosen: [string, string][] = [
      ['Mail', 'email'],
      ['First', 'name'],
      ['Last', 'name'],
    ]
    await start(owner, await choose(owner, await check(owner, rows), chosen))
    expect(await typedNames(school)).toEqual(['Kit Example', 'Max'])
    const lines = '{"First":"Ada","Mail":"ada@example.test","Last":"Example"}\n'
    const next = await check(owner, lines, 'rows.ndjson')
    expect(chosenIn((await owner.get(next)).body)).toEqual(['name', 'email', 'name'])
    await start(owner, next)
    expect(await typedNames(school)).toEqual(['Ada Example', 'Kit Example', 'Max'])
  })

  test('are joined only if they were chosen for the name, and only texts are', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const path = await check(owner, 'email,name,name\nkit@example.test,Kit,Example\n')
    expect(chosenIn((await owner.get(path)).body)).toEqual(['email', 'name', ''])
    await start(owner, path)
    expect(await typedNames(school)).toEqual(['Kit'])
    const parts = '{"email":"ada@example.test","First":"Ada","Last":["Example"]}\n'
    const listed = await choose(owner, await check(owner, parts, 'rows.ndjson'), [
      ['email', 'email'],
      ['First', 'name'],
      ['Last', 'name'],
    ])
    expect((await owner.get(listed)).body).toContain('1 row would be refused')
  })

  test('may stand twice, be empty, or have a line break, as spreadsheets write them', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const rows = 'Email,Email,"Full\nname",,\nkit@example.test,max@example.test,Kit,,\n'
    const path = await check(owner, rows)
    const { body } = await owner.get(path)
    expect(chosenIn(body)).toEqual(['email', '', 'name'])
    expect(body).toContain('Import 1 row')
    const other = await choose(owner, path, [
      ['Email', ''],
      ['Email (2)', 'email'],
      ['Full name', 'name'],
    ])
    await start(owner, other)
    expect(await emails(school)).toContain('max@example.test')
    expect(await emails(school)).not.toContain('kit@example.test')
  })
})

describe('a checked file is not imported', () => {
  test('by another operator, by the owner of another school, with a forged form, or with a column that does not exist', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const path = await check(owner, 'email,name\nkit@example.test,Kit\n')
    const before = await emails(school)
    const colleague = await anOwner(world, school)
    const stranger = await anOwner(world, await world.aSchool())
    for (const visitor of [colleague, stranger]) {
      const form_token = tokenOn((await visitor.get('/admin/jobs')).body)
      expect((await visitor.post(`${path}/import`, { form_token })).statusCode).toBe(409)
      const columns = { form_token, heading: 'email', column: 'email' }
      expect((await visitor.post(`${path}/columns`, columns)).statusCode).toBe(409)
    }
    expect((await owner.post(`${path}/import`, { form_token: 'forged' })).statusCode).toBe(403)
    const wrong = { form_token: tokenOn((await owner.get(path)).body), heading: 'email' }
    const asked = await owner.post(`${path}/columns`, { ...wrong, column: 'password_hash' })
    expect(asked.statusCode).toBe(409)
    await finishJobs(world)
    expect((await emails(school)).filter((email) => email === 'kit@example.test')).toEqual([])
    expect(before.length).toBeLessThan((await emails(school)).length)
    expect((await jobRow(school, path.split('/').at(-1) ?? '')).input).toHaveProperty('source')
  })
})

describe('the list of students', () => {
  test('leads to an import of students, and to an export with its filters', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    for (const name of ['Ada', 'Ben']) {
      const typed = { name, email: `${name.toLowerCase()}@export.test` }
      await browser.done('/admin/students/new', typed)
    }
    const list = await browser.page('/admin/students?search=ada')
    expect(list).toContain('href="/admin/jobs/import?resource=students"')
    const form =
      /href="(\/admin\/jobs\/export[^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const html = await browser.page(form)
    expect(html).toContain('Search: <bdi>ada</bdi>')
    const started = await browser.fill(html, '/admin/jobs/export', { format: 'csv' })
    await finishJobs(world)
    const { body } = await browser.get(`${pathIn(started)}/file`)
    expect(body).toContain('ada@export.test')
    expect(body).not.toContain('ben@export.test')
  })

  test('attack: half a character in a filter is refused, and no error of ours', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const form_token = tokenOn((await owner.get('/admin/students')).body)
    const sent = { form_token, resource: 'students', only: '{"search":"\\ud83d"}' }
    expect((await owner.post('/admin/jobs/export', sent)).statusCode).toBe(400)
  })

  test('of a course exports the enrollments of this course, and a filter that it does not have is refused', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    const { path } = await browser.done('/admin/courses/new', { title: 'Fresco' })
    const list = await browser.page(`${path}/enrollments`)
    expect(list).toContain(encodeURIComponent(`"course_id":"${path.split('/').at(-1)}"`))
    const within = encodeURIComponent(`{"course_id":"${path.split('/').at(-1)}"}`)
    expect(list).toContain(`/admin/jobs/import?resource=enrollments&amp;within=${within}`)
    const cut = { resource: 'enrollments', only: '{"course_id":' }
    const page = '/admin/jobs/export?resource=enrollments'
    expect((await browser.force(page, cut)).statusCode).toBe(400)
    const forged = { resource: 'enrollments', only: '{"school_id":"x"}' }
    expect(
      (await browser.force('/admin/jobs/export?resource=enrollments', forged)).statusCode,
    ).toBe(422)
  })
})
