import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { importRows } from '../../src/domain/bulk/import-rows.ts'
import { couponKind } from '../../src/domain/commerce/offer-bulk.ts'
import { pageKind } from '../../src/domain/content/content-bulk.ts'
import {
  commentKind,
  courseKind,
  lectureKind,
  sectionKind,
} from '../../src/domain/learning/course-bulk.ts'
import { notificationKind } from '../../src/domain/notifications/notification-bulk.ts'
import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import { bytesOf, callerAt, exportFrom, importInto, ndjson } from '../support/bulk.ts'
import { addExamples, everyRow } from '../support/example-school.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
let school: TestSchool

beforeEach(async () => {
  school = await world.aSchool()
})

const aPage = (n: number, more: object = {}) => ({ slug: `p-${n}`, title: `Page ${n}`, ...more })

const pages = async () => {
  const { rows } = await school.db.run(sql<{ slug: string; title: string; version: number }>`
    select slug, title, version from pages where school_id = ${school.id} order by slug`)
  return rows
}

describe('rows that are refused', () => {
  test('are reported with their line and every problem, and the other rows are imported', async () => {
    const file = [
      JSON.stringify(aPage(1)),
      '{"slug":',
      '',
      '[]',
      JSON.stringify({ slug: 'No Slug', title: '', colour: 'red' }),
      JSON.stringify({ slug: 'no-title' }),
      JSON.stringify(aPage(2, { position: 'first' })),
      JSON.stringify(aPage(3, { title: 'half \ud800' })),
      JSON.stringify(aPage(4)),
    ].join('\n')
    const done = await importInto(school, pageKind, file)
    expect(done).toMatchObject({ rows: 8, created: 2, failed: 6, complete: true, nextLine: 10 })
    expect(done.errors.map(({ line, errors }) => [line, errors.map((e) => e.code)])).toEqual([
      [2, ['malformed']],
      [4, ['malformed']],
      [5, ['invalid_format', 'too_small', 'invalid_format', 'unknown_field']],
      [6, ['required']],
      [7, ['wrong_type']],
      [8, ['invalid_text']],
    ])
    expect(done.errors[2]?.errors.map((e) => e.pointer)).toEqual([
      '/slug',
      '/title',
      '/title',
      '/colour',
    ])
    expect((await pages()).map(({ slug }) => slug)).toEqual(['p-1', 'p-4'])
  })

  test('are found among many rows when only the database can detect the conflict', async () => {
    const rows = Array.from({ length: 1500 }, (_, n) => aPage(n, { id: undefined }))
    const taken = { id: '01981c5e-7c00-7000-8000-000000000001', ...aPage(3) }
    rows.splice(700, 0, taken as (typeof rows)[number])
    const done = await importInto(school, pageKind, rows)
    expect(done).toMatchObject({ rows: 1501, created: 1500, failed: 1 })
    expect(done.errors).toMatchObject([
      { line: 701, errors: [{ pointer: '/slug', code: 'taken' }] },
    ])
  })

  test('stop the import soon after the limit of errors, and it can continue at the reported line', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) =>
      n < 1000 && n % 2 === 0 ? aPage(n, { title: '' }) : aPage(n),
    )
    const first = await importInto(school, pageKind, rows, { maxErrors: 10 })
    expect(first).toMatchObject({ complete: false, created: 500, failed: 500, nextLine: 1001 })
    const rest = await importInto(school, pageKind, rows, { fromLine: first.nextLine })
    expect(rest).toMatchObject({ complete: true, rows: 2000, created: 2000, failed: 0 })
  })

  test('a truncated file is imported up to the point where it ends', async () => {
    const file = 'slug,title\np-1,One\np-2,"Two\n'
    const done = await importInto(school, pageKind, file, { format: 'csv' })
    expect(done).toMatchObject({ created: 1, failed: 1, complete: false, nextLine: 3 })
    expect(done.errors).toMatchObject([{ line: 3, errors: [{ code: 'unclosed_quote' }] }])
  })
})

describe('the values of a row', () => {
  test('are set, missing columns keep their values, and an unchanged row keeps its version', async () => {
    await importInto(school, pageKind, [aPage(1, { body: 'Text', position: 7 })])
    const csv = 'slug,position\np-1,8\n'
    expect(await importInto(school, pageKind, csv, { format: 'csv' })).toMatchObject({ updated: 1 })
    expect(await importInto(school, pageKind, csv, { format: 'csv' })).toMatchObject({
      unchanged: 1,
    })
    const [page] = await school.db.from('pages').selectAll().execute()
    expect(page).toMatchObject({ title: 'Page 1', body: 'Text', position: 8, version: 2 })
  })

  test('null and an empty cell clear an optional value, and "" is an empty text', async () => {
    await importInto(school, couponKind, [
      { code: 'ONE', percent_off: 5, max_redemptions: 3, ends_at: '2090-01-01T00:00:00+02:00' },
    ])
    await importInto(school, couponKind, 'code,max_redemptions\nONE,\n', { format: 'csv' })
    await importInto(school, couponKind, [{ code: 'ONE', ends_at: null }])
    await importInto(school, pageKind, [aPage(1, { body: 'Text' })])
    await importInto(school, pageKind, 'slug,body,position\np-1,"",\n', { format: 'csv' })
    const [coupon] = await school.db.from('coupons').selectAll().execute()
    expect(coupon).toMatchObject({ max_redemptions: null, ends_at: null, percent_off: 5 })
    const [page] = await school.db.from('pages').selectAll().execute()
    expect(page).toMatchObject({ body: '', position: 0 })
  })

  test('are those of the last row of the file for the same object', async () => {
    const rows = [aPage(1), aPage(2), { slug: 'p-1', title: 'Other' }, aPage(1, { title: 'Last' })]
    expect(await importInto(school, pageKind, rows)).toMatchObject({ created: 2, updated: 2 })
    expect((await pages()).map(({ title }) => title)).toEqual(['Last', 'Page 2'])
  })

  test('are written once for a thousand equal rows, and each wrong row is refused', async () => {
    const rows = Array.from({ length: 1000 }, () => aPage(1))
    expect(await importInto(school, pageKind, rows)).toMatchObject({ created: 1, unchanged: 999 })
    const wrong = Array.from({ length: 50 }, () => ({ slug: 'no-title' }))
    const done = await importInto(school, pageKind, wrong)
    expect(done).toMatchObject({ failed: 50 })
    expect(done.errors.map(({ line }) => line)).toEqual(wrong.map((_, n) => n + 1))
  })

  test('keep an id that the row gives; an external id always leads to the same id', async () => {
    await addExamples(world, school)
    const section = { external_id: 'ch. 9', course_slug: 'first', title: 'Nine' }
    await importInto(school, sectionKind, [section])
    const lecture = { external_id: 'l 1', section_external_id: 'ch. 9', title: 'One' }
    const second = { id: EXAMPLE.page, section_external_id: 'ch. 9', title: 'Two' }
    const rows = [lecture, second]
    expect(await importInto(school, lectureKind, rows)).toMatchObject({ created: 2 })
    expect(await importInto(school, lectureKind, rows)).toMatchObject({ unchanged: 2 })
    expect(await importInto(school, lectureKind, [{ title: 'x' }])).toMatchObject({
      errors: [{ errors: [{ pointer: '/external_id', code: 'required' }] }],
    })
    const { rows: made } = await school.db.run(sql<{ id: string; position: number; title: string }>`
      select l.id, l.position, l.title from lectures l join sections s on s.id = l.section_id
      where l.school_id = ${school.id} and s.title = 'Nine' order by l.position`)
    expect(made).toMatchObject([
      { title: 'One', position: 0 },
      { id: EXAMPLE.page, title: 'Two', position: 1 },
    ])
  })

  test('can swap the positions of two objects within one file', async () => {
    await addExamples(world, school)
    const rows = [
      { id: EXAMPLE.section, position: 1 },
      { id: EXAMPLE.secondSection, position: 0 },
    ]
    expect(await importInto(school, sectionKind, rows, { dryRun: true })).toMatchObject({
      updated: 2,
    })
    expect(await importInto(school, sectionKind, rows)).toMatchObject({ updated: 2, failed: 0 })
    expect(
      await importInto(school, sectionKind, [{ id: EXAMPLE.section, position: 0 }]),
    ).toMatchObject({ failed: 1, errors: [{ errors: [{ pointer: '/position', code: 'taken' }] }] })
  })

  test('replace lists as a whole, which counts as a change of the object', async () => {
    await addExamples(world, school)
    const [before] = (await exportFrom(school, courseKind)).split('\n')
    const course = JSON.parse(before ?? '')
    await importInto(school, courseKind, [{ id: course.id, lecturer_ids: [EXAMPLE.lecturer] }])
    const after = JSON.parse((await exportFrom(school, courseKind)).split('\n')[0] ?? '')
    expect(after).toMatchObject({ lecturer_ids: [EXAMPLE.lecturer], title: course.title })
    expect(after.version).toBeGreaterThan(course.version)
    const refused = await importInto(school, courseKind, [
      { id: course.id, lecturer_ids: [EXAMPLE.student] },
    ])
    expect(refused.errors).toMatchObject([
      { errors: [{ pointer: '/lecturer_ids', code: 'unknown_reference' }] },
    ])
  })
})

describe('an import on two connections', () => {
  const news = (n: number, more: object = {}) => ({
    external_id: `n-${n}`,
    member_id: EXAMPLE.student,
    title: `News ${n}`,
    ...more,
  })

  const titles = async () => {
    const { rows } = await school.db.run(sql<{ title: string }>`
      select title from notifications where school_id = ${school.id}`)
    return rows.map(({ title }) => title)
  }

  test('applies later rows last, and reports the lines of the file', async () => {
    await addExamples(world, school)
    const before = (await titles()).length
    const rows = [
      ...Array.from({ length: 2500 }, (_, n) => news(n)),
      ...Array.from({ length: 2500 }, (_, n) => news(n, { title: 'Later' })),
      { ...news(1), member_id: EXAMPLE.section },
    ]
    rows.splice(1200, 0, news(9999, { title: '' }), { ...news(9998), member_id: EXAMPLE.section })
    const done = await importInto(school, notificationKind, rows, { connections: 2 })
    expect(done).toMatchObject({ created: 2500, updated: 2500, failed: 3, nextLine: 5004 })
    expect(done.errors.map(({ line }) => line)).toEqual([1201, 1202, 5003])
    expect((await titles()).filter((title) => title === 'Later')).toHaveLength(2500)
    expect(await titles()).toHaveLength(before + 2500)
  })

  test('runs in one transaction if it is a dry run', async () => {
    await addExamples(world, school)
    const before = (await titles()).length
    const rows = Array.from({ length: 3000 }, (_, n) => news(n))
    const options = { connections: 2, dryRun: true }
    expect(await importInto(school, notificationKind, rows, options)).toMatchObject({
      created: 3000,
      nextLine: 3001,
    })
    expect(await titles()).toHaveLength(before)
  })
})

describe('a dry run', () => {
  test('gives the same results as a real import, also for rows that need earlier ones, and writes nothing', async () => {
    await addExamples(world, school)
    const before = await everyRow(school)
    const about = { lecture_id: EXAMPLE.lecture, author_id: EXAMPLE.student }
    const rows = Array.from({ length: 1200 }, (_, n) => ({
      external_id: `c${n}`,
      ...(n === 0 ? {} : { parent_external_id: `c${n - 1}` }),
      ...about,
      body: `Comment ${n}`,
    }))
    const wrong = { external_id: 'c', parent_external_id: 'unknown', ...about, body: 'No' }
    const options = { dryRun: true }
    const rehearsed = await importInto(school, commentKind, [...rows, wrong], options)
    expect(rehearsed).toMatchObject({ created: 1200, failed: 1, complete: true })
    expect(rehearsed.errors).toMatchObject([
      { line: 1201, errors: [{ pointer: '/parent_id', code: 'unknown_reference' }] },
    ])
    expect(await everyRow(school)).toBe(before)
    const { errors } = await importInto(school, commentKind, [...rows, wrong])
    expect(errors).toEqual(rehearsed.errors)
  })

  test('writes no audit entry', async () => {
    await importInto(school, pageKind, [aPage(1)], { dryRun: true })
    expect(await school.db.from('audit_entries').selectAll().execute()).toEqual([])
  })
})

describe('an import whose connection is cut', () => {
  const rows = Array.from({ length: 2500 }, (_, n) => aPage(n))

  async function* cutOff(): AsyncGenerator<Uint8Array> {
    yield* bytesOf(ndjson(rows.slice(0, 2200)))
    throw new Error('the connection is gone')
  }

  test('has committed whole batches, and the same file continues it without writing a row twice', async () => {
    const cut = importRows(school.db, callerAt(school), pageKind, cutOff(), { format: 'ndjson' })
    await expect(cut).rejects.toThrow('the connection is gone')
    expect(await pages()).toHaveLength(2000)
    const again = await importInto(school, pageKind, rows)
    expect(again).toMatchObject({ created: 500, unchanged: 2000, updated: 0, failed: 0 })
    expect((await pages()).every(({ version }) => version === 1)).toBe(true)
    expect(await importInto(school, pageKind, rows)).toMatchObject({ unchanged: 2500 })
  })

  test('has its entry in the audit', async () => {
    const cut = importRows(school.db, callerAt(school), pageKind, cutOff(), { format: 'ndjson' })
    await expect(cut).rejects.toThrow()
    const entries = await school.db.from('audit_entries').selectAll().orderBy('id').execute()
    expect(entries).toMatchObject([
      { action: 'operation.done', detail: { operation: 'pages.import', via: 'command_line' } },
    ])
    const done = await importInto(school, pageKind, rows)
    const after = await school.db.from('audit_entries').selectAll().orderBy('id').execute()
    expect(after.slice(1)).toMatchObject([
      { subject: done.id },
      { subject: done.id, detail: { created: 500, unchanged: 2000, failed: 0, complete: true } },
    ])
  })
})

describe('a file of many rows', () => {
  test('needs no more memory at its end than at its beginning', async () => {
    await addExamples(world, school)
    const collect = await collector()
    async function* many(): AsyncGenerator<Uint8Array> {
      const body = 'x'.repeat(2000)
      for (let n = 0; n < 4_000; n += 100) {
        const some = Array.from({ length: 100 }, (_, k) => ({
          external_id: `n-${n + k}`,
          member_id: EXAMPLE.student,
          title: 'A new term',
          body,
        }))
        yield Buffer.from(ndjson(some))
      }
    }
    const used: number[] = []
    const onProgress = ({ rows }: { rows: number }): void => {
      if (rows % 1000 === 0) used.push(collect())
    }
    const options = { format: 'ndjson', onProgress } as const
    const done = await importRows(school.db, callerAt(school), notificationKind, many(), options)
    expect(done).toMatchObject({ created: 4_000, failed: 0 })
    // The file is 8 MB: memory would grow by more than this limit if rows were kept.
    const [first = 0] = used
    expect(Math.max(...used) - first).toBeLessThan(4_000_000)
  })
})

/** Measures the used heap after garbage collection. */
async function collector(): Promise<() => number> {
  const { setFlagsFromString } = await import('node:v8')
  const { runInNewContext } = await import('node:vm')
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  return () => {
    gc()
    return process.memoryUsage().heapUsed
  }
}

test('texts with characters that are special in PostgreSQL are stored unchanged', async () => {
  await addExamples(world, school)
  const texts = ['NULL', '{a,b}', '"quoted"', 'back\\slash\\', '\\"', "it's", '⇒ 🎓', '(1,2)', ' ']
  const rows = texts.map((body, n) => ({
    external_id: `text-${n}`,
    member_id: EXAMPLE.student,
    title: `Title ${body}`,
    body,
    ...(n % 2 === 0 ? { url: '/a,"b"' } : {}),
  }))
  expect(await importInto(school, notificationKind, rows)).toMatchObject({
    created: rows.length,
    failed: 0,
  })
  const { rows: stored } = await school.db.run(sql<{ title: string; body: string; url: unknown }>`
    select title, body, url from notifications
    where school_id = ${school.id} and title like 'Title %'`)
  const byBody = (a: { body: string }, b: { body: string }) => (a.body < b.body ? -1 : 1)
  expect([...stored].sort(byBody)).toEqual(
    rows.map(({ title, body, url = null }) => ({ title, body, url })).sort(byBody),
  )
})
