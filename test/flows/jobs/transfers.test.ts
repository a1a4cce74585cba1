import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportJob, exportRows } from '../../../src/domain/bulk/export-job.ts'
import { importJob } from '../../../src/domain/bulk/import-job.ts'
import { BULK_KINDS } from '../../../src/domain/catalogue/bulk-kinds.ts'
import { purgeJobs } from '../../../src/domain/jobs/finish-job.ts'
import { MOST_OPEN_JOBS } from '../../../src/domain/jobs/start-job.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import type { FileStore } from '../../../src/foundation/storage/file-store.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import {
  aGate,
  aRunner,
  asleepAtSecondStep,
  auditOfJob,
  endLeases,
  finishJobs,
  jobRow,
} from '../../support/jobs.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { uploadTo } from '../../support/uploading.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-transfers-'))
whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
const store = createDiskStore(folder)
const world = await aWorld({ files: store })

const ASYNC = { prefer: 'respond-async' }
const NDJSON = { 'content-type': 'application/x-ndjson' }
const pathOf = (location: unknown): string =>
  new URL(String(location)).pathname.slice('/api/v1'.length)
const pages = (count: number): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ slug: `p-${n}`, title: `Page ${n}` }),
  ).join('\n')

const kindOfPages = () => {
  const kind = BULK_KINDS.find(({ name }) => name === 'pages')
  if (kind === undefined) throw new Error('no kind of pages')
  return kind
}

/** Five megabytes, so that an export has two parts. Few rows, because each is indexed. */
const LONG_PAGES = 120
let longSchool: Promise<TestSchool> | undefined

/** A school with long pages, which become twice as long. Its tests change none of them. */
async function theLongSchool() {
  longSchool ??= world.aSchool().then(async (school) => {
    const rows = Array.from({ length: LONG_PAGES }, (_, n) =>
      JSON.stringify({ slug: `p-${n}`, title: `Page ${n}`, body: `${n} `.repeat(15_000) }),
    )
    const owner = await anOperator(world, school)
    const sent = { body: rows.join('\n'), headers: NDJSON }
    expect((await owner.send('POST', '/pages/import', sent)).json().created).toBe(LONG_PAGES)
    return school
  })
  const school = await longSchool
  return { school, operator: await anOperator(world, school) }
}

describe('an import with Prefer: respond-async', () => {
  verifies(
    'jobs.respond-async',
    'is 202 with the address of a job, whose result is what the import answers',
    async () => {
      const school = await world.aSchool()
      const operator = await anOperator(world, school)
      const body = 'code,percent_off\nSPRING,20\nsp ring,20\n'
      const send = (headers: Record<string, string>) =>
        operator.send('POST', '/coupons/import', {
          body,
          headers: { 'content-type': 'text/csv', ...headers },
        })
      const accepted = await send(ASYNC)
      expect(accepted.statusCode).toBe(202)
      expect(accepted.headers['preference-applied']).toBe('respond-async')
      expect(accepted.json()).toMatchObject({ object: 'job', state: 'waiting' })
      const path = pathOf(accepted.headers.location)
      expect(await school.db.from('coupons').selectAll().execute()).toEqual([])
      await finishJobs(world)
      const done = (await operator.get(path)).json()
      expect(done).toMatchObject({ state: 'done', operation: 'coupons.import', done: 2 })
      expect(done.result).toMatchObject({
        object: 'import',
        complete: true,
        rows: 2,
        created: 1,
        failed: 1,
        errors: [{ line: 3 }],
      })
      expect(await auditOfJob(school, done.id)).toMatchObject([
        { outcome: 'ok', detail: { operation: 'coupons.import', created: 1, via: 'admin_api' } },
      ])
      const waited = await send({})
      expect(waited.statusCode).toBe(200)
      expect(waited.json()).toMatchObject({ object: 'import', unchanged: 1 })
    },
  )

  test('that lacks the read scope is done within the request: a job would tell what exists', async () => {
    const school = await world.aSchool()
    const operator = await anOperator(world, school, { scopes: 'pages:write' })
    const answer = await operator.send('POST', '/pages/import', {
      body: pages(1),
      headers: { ...NDJSON, ...ASYNC },
    })
    expect(answer.statusCode).toBe(200)
  })

  test('beyond the most jobs of a school is refused, and its file is removed', async () => {
    const school = await world.aSchool()
    const operator = await anOperator(world, school)
    const send = () =>
      operator.send('POST', '/pages/import', { body: pages(1), headers: { ...NDJSON, ...ASYNC } })
    for (let n = 0; n < MOST_OPEN_JOBS; n++) expect((await send()).statusCode).toBe(202)
    const refused = await send()
    expect([refused.statusCode, refused.json().reason]).toEqual([409, 'too_many_jobs'])
    await finishJobs(world)
  })

  verifies('jobs.crash', 'whose worker stops after a batch counts every row once', async () => {
    const school = await world.aSchool()
    const operator = await anOperator(world, school)
    const body = pages(2_500)
    const accepted = await operator.send('POST', '/pages/import', {
      body,
      headers: { ...NDJSON, ...ASYNC },
    })
    const { wakeUp } = await asleepAtSecondStep(world, importJob(kindOfPages()))
    await endLeases(school)
    await finishJobs(world)
    await wakeUp()
    const { result } = (await operator.get(pathOf(accepted.headers.location))).json()
    expect(result).toMatchObject({ rows: 2_500, created: 2_500, unchanged: 0, complete: true })
  })
})

describe('an export with Prefer: respond-async', () => {
  verifies(
    ['jobs.respond-async', 'jobs.file'],
    'makes the same file as one that the client waits for, for the person who asked alone',
    async () => {
      const school = await world.aSchool()
      const operator = await anOperator(world, school)
      await operator.send('POST', '/pages/import', { body: pages(2_500), headers: NDJSON })
      const accepted = await operator.get('/pages/export?format=csv', ASYNC)
      expect(accepted.statusCode).toBe(202)
      const path = pathOf(accepted.headers.location)
      expect((await operator.get(`${path}/file`)).statusCode).toBe(404)
      await finishJobs(world)
      const { file_url, result, done, total } = (await operator.get(path)).json()
      expect([done, total]).toEqual([2_500, 2_500])
      const file = await operator.get(pathOf(file_url))
      expect(file.statusCode).toBe(200)
      expect(file.headers['content-disposition']).toBe('attachment; filename="pages.csv"')
      expect(file.headers['content-type']).toContain('text/csv')
      expect(file.body).toBe((await operator.get('/pages/export?format=csv')).body)
      expect(result).toMatchObject({ rows: 2_500, bytes: Buffer.byteLength(file.body) })
      const other = await anOperator(world, school)
      expect((await other.get(pathOf(file_url))).statusCode).toBe(404)
      const { person } = operator
      const narrow = await anOperator(world, school, { person, scopes: 'courses:read' })
      expect((await narrow.get(pathOf(file_url))).statusCode).toBe(404)
    },
  )
})

test('an export of long texts is read and written in small pieces', async () => {
  const { school } = await theLongSchool()
  const sizes: number[] = []
  let rows = 0
  for await (const page of exportRows(school.db, school, kindOfPages(), { format: 'ndjson' })) {
    sizes.push(page.text.length)
    rows += page.rows
  }
  expect(rows).toBe(LONG_PAGES)
  expect(sizes.length).toBeGreaterThan(3)
  // It aims at half of this, by the rows before; these rows become twice as long.
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024)
})

/** An export in two parts. */
async function aLongExport() {
  const { school, operator } = await theLongSchool()
  const accepted = await operator.get('/pages/export', ASYNC)
  const path = pathOf(accepted.headers.location)
  return { school, operator, path, id: path.split('/').at(-1) ?? '', job: exportJob(kindOfPages()) }
}

test('a worker that wakes up after it lost an export leaves no part of a file behind', async () => {
  const { school, operator, path, id } = await aLongExport()
  const [asleep, pause] = [aGate(), aGate()]
  let written = 0
  const sleepy: FileStore = {
    ...store,
    write: (place, bytes, most, check) =>
      store.write(place, bytes, most, async (received) => {
        await check?.(received)
        written += 1
        if (written < 2) return
        asleep.open()
        await pause.passed
      }),
  }
  const run = aRunner(world, { files: sleepy }).runNext()
  await asleep.passed
  await endLeases(school)
  await finishJobs(world)
  pause.open()
  await run
  const { files } = await jobRow(school, id)
  expect((await filesOf(path)).length).toBe((files as string[]).length)
  const { file_url } = (await operator.get(path)).json()
  const whole = await operator.get(pathOf(file_url))
  expect(whole.body).toBe((await operator.get('/pages/export')).body)
})

test('a worker that dies after it stored a part of a file leaves none behind', async () => {
  const { school, path, id, job } = await aLongExport()
  const { wakeUp } = await asleepAtSecondStep(world, job)
  expect((await jobRow(school, id)).storing).toMatch(/^[0-9a-f-]+\/[0-9a-f]{64}$/)
  expect(await filesOf(path)).toHaveLength(2)
  await endLeases(school)
  await finishJobs(world)
  const { files, storing } = await jobRow(school, id)
  expect([storing, (await filesOf(path)).length]).toEqual([null, (files as string[]).length])
  await wakeUp()
})

test('a part that was stored by a worker that died is removed with a job that is never finished', async () => {
  const { school, path, id, job } = await aLongExport()
  const { wakeUp } = await asleepAtSecondStep(world, job)
  await school.db
    .update('jobs')
    .set({
      state: 'cancelled',
      worker: null,
      lease_until: null,
      finished_at: new Date(0),
      expires_at: new Date(0),
    })
    .where('id', '=', id)
    .execute()
  await purgeJobs(world.database.db, store)
  expect(await filesOf(path)).toEqual([])
  await wakeUp()
})

/** The stored parts of the job's file. */
async function filesOf(path: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const job = path.split('/').at(-1) ?? ''
  return names
    .filter((one) => one.isFile() && join(one.parentPath, one.name).includes(job))
    .map(({ name }) => name)
}

describe('in the admin area', () => {
  test('an export is started by a form and downloaded by the person who started it', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    const { path } = await browser.done('/admin/jobs/new', { resource: 'members', format: 'csv' })
    expect(await browser.page(path)).toContain('Export of members')
    expect((await browser.get(path)).headers.refresh).toBeDefined()
    await finishJobs(world)
    const page = await browser.get(path)
    expect(page.headers.refresh).toBeUndefined()
    expect(page.body).toContain(`href="${path}/file"`)
    const file = await browser.get(`${path}/file`)
    expect(file.statusCode).toBe(200)
    expect(file.body).toContain('owner')
    const colleague = new AdminBrowser(await anOwner(world, school))
    expect(await colleague.page(path)).toContain('Export of members')
    expect((await colleague.get(`${path}/file`)).statusCode).toBe(404)
  })

  test('an import takes a file, tells refused rows with their lines, and refuses a forged form', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const post = (token: string, rows: string) =>
      uploadTo(owner, '/admin/jobs/import', {
        token,
        fields: { resource: 'coupons' },
        name: 'rows.csv',
        type: 'text/csv',
        bytes: Buffer.from(rows),
      })
    const form = await owner.get('/admin/jobs/import')
    const { form_token = '' } = hiddenFields(form.body, '/admin/jobs/import')
    const forged = await post('forged', 'code,percent_off\nSPRING,20\n')
    expect(forged.statusCode).toBe(403)
    const sent = await post(form_token, 'code,percent_off\nSPRING,20\nsp ring,20\n')
    expect(sent.statusCode).toBe(303)
    const check = String(sent.headers.location).split('?')[0] ?? ''
    await finishJobs(world)
    expect((await owner.get(check)).body).toContain('Line 3:')
    expect(await school.db.from('coupons').selectAll().execute()).toEqual([])
    const started = await owner.post(`${check}/import`, { form_token })
    const path = String(started.headers.location).split('?')[0] ?? ''
    await finishJobs(world)
    const { body } = await owner.get(path)
    expect(body).toContain('Created: 1')
    expect(body).toContain('Line 3:')
    const job = path.split('/').at(-1) ?? ''
    expect((await jobRow(school, job)).state).toBe('done')
    expect(await auditOfJob(school, job)).toHaveLength(1)
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await student.get(path)).statusCode).toBe(403)
  })

  test('a file with a wrong heading fails with words, and changes nothing', async () => {
    const school = await world.aSchool()
    const operator = await anOperator(world, school)
    const accepted = await operator.send('POST', '/coupons/import', {
      body: 'colour\nred\n',
      headers: { 'content-type': 'text/csv', ...ASYNC },
    })
    await finishJobs(world)
    const job = (await operator.get(pathOf(accepted.headers.location))).json()
    expect(job).toMatchObject({ state: 'failed', result: null })
    expect(job.problem).toContain('The heading names a column')
  })
})
