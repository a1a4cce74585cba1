import { expect } from 'vitest'
import { type Answer, hiddenFields, type Visitor } from './browser-like.ts'
import { finishJobs } from './jobs.ts'
import { uploadTo } from './uploading.ts'
import type { World } from './world.ts'

export const pathIn = (answer: Answer): string =>
  String(answer.headers.location).split('?')[0] ?? ''

export const tokenOn = (html: string): string => hiddenFields(html, '/sign-out').form_token ?? ''

interface SentRows {
  readonly name?: string
  readonly resource?: string
  readonly within?: Readonly<Record<string, string>>
}

export async function sendRows(
  owner: Visitor,
  rows: string | Buffer,
  { name = 'rows.csv', resource = 'students', within = {} }: SentRows = {},
): Promise<Answer> {
  return await uploadTo(owner, '/admin/jobs/import', {
    fields: { resource, within: JSON.stringify(within) },
    name,
    type: 'text/csv',
    bytes: Buffer.from(rows),
  })
}

/** Sends a file and waits for its check. Returns the path of the check. */
export async function checkRows(
  world: World,
  owner: Visitor,
  rows: string | Buffer,
  sent: SentRows = {},
): Promise<string> {
  const answer = await sendRows(owner, rows, sent)
  expect(answer.statusCode).toBe(303)
  await finishJobs(world)
  return pathIn(answer)
}

/** Imports what was checked. Returns the path of the import. */
export async function importChecked(world: World, owner: Visitor, path: string): Promise<string> {
  const form_token = tokenOn((await owner.get(path)).body)
  const started = await owner.post(`${path}/import`, { form_token })
  expect(started.statusCode).toBe(303)
  await finishJobs(world)
  return pathIn(started)
}

/** Chooses the columns of headings. Returns the path of the new check. */
export async function chooseColumns(
  world: World,
  owner: Visitor,
  path: string,
  columns: readonly (readonly [heading: string, column: string])[],
): Promise<string> {
  const form_token = tokenOn((await owner.get(path)).body)
  const fields = columns.flatMap(([heading, column]): [string, string][] => [
    ['heading', heading],
    ['column', column],
  ])
  const again = await owner.post(`${path}/columns`, [['form_token', form_token], ...fields])
  expect(again.statusCode).toBe(303)
  await finishJobs(world)
  return pathIn(again)
}

/** Exports rows by the form of a page. Returns the file. */
export async function exportRows(
  world: World,
  owner: Visitor,
  resource: string,
  { format = 'csv', only = {} }: { format?: string; only?: object } = {},
): Promise<string> {
  const form_token = tokenOn((await owner.get('/admin/jobs')).body)
  const asked = { form_token, resource, format, only: JSON.stringify(only) }
  const started = await owner.post('/admin/jobs/export', asked)
  expect([started.statusCode, resource]).toEqual([303, resource])
  await finishJobs(world)
  const file = await owner.get(`${pathIn(started)}/file`)
  expect([file.statusCode, resource]).toEqual([200, resource])
  return file.body
}
