import { expect, test } from 'vitest'
import { pageKind } from '../../src/domain/content/content-bulk.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()

const pages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ slug: `p-${n}`, title: `Page ${n}`, position: n }))

test('an export has every object exactly once, and can be continued after any of them', async () => {
  const school = await world.aSchool()
  await importInto(school, pageKind, pages(2345))
  const file = await exportFrom(school, pageKind)
  const rows: { id: string; slug: string }[] = file
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(new Set(rows.map(({ slug }) => slug)).size).toBe(2345)
  expect(rows).toHaveLength(2345)
  const half = rows[1200]?.id ?? ''
  const rest = await exportFrom(school, pageKind, 'ndjson', half)
  expect(rest).toBe(file.slice(file.indexOf(half)).split('\n').slice(1).join('\n'))
  await expect(exportFrom(school, pageKind, 'csv', 'x')).rejects.toMatchObject({
    refusal: { problems: [{ pointer: '/after' }] },
  })
})

test('no cell of an export starts a formula, and importing the file restores the original text', async () => {
  const school = await world.aSchool()
  const title = '=HYPERLINK("https://evil.test";"Click")'
  await importInto(school, pageKind, [{ slug: 'a', title, body: '-1,\n"x"', position: -5 }])
  const csv = await exportFrom(school, pageKind, 'csv')
  expect(csv).toContain(`,"'=HYPERLINK(""https://evil.test"";""Click"")",`)
  expect(csv).toContain(`,"'-1,\n""x""",-5,`)
  const other = await world.aSchool()
  expect(await importInto(other, pageKind, csv, { format: 'csv' })).toMatchObject({ created: 1 })
  const [page] = await other.db.from('pages').selectAll().execute()
  expect(page).toMatchObject({ title, body: '-1,\n"x"', position: -5 })
})

test('an export contains only objects of its own school', async () => {
  const [mine, theirs] = [await world.aSchool(), await world.aSchool()]
  await importInto(theirs, pageKind, pages(3))
  expect(await exportFrom(mine, pageKind)).toBe('')
  expect((await exportFrom(mine, pageKind, 'csv')).split('\r\n')).toHaveLength(2)
})
