import { beforeAll, expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import {
  actionsForMany,
  selectionPath,
  versionName,
} from '../../../src/surfaces/pages/admin/crud/selection.tsx'
import { MENU } from '../../../src/surfaces/pages/admin/frame/admin-page.tsx'
import { RESOURCES } from '../../../src/surfaces/pages/admin/resources/all-resources.ts'
import { performAdminActions } from '../../support/admin-actions.ts'
import { AdminBrowser, currentValues } from '../../support/admin-browser.ts'
import { FORM_CASES } from '../../support/admin-form-cases.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { addExamples, publishExamples } from '../../support/example-school.ts'
import { finishJobs } from '../../support/jobs.ts'
import { aBetaSchool, signedIn } from '../../support/operator-like.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { uploadTo } from '../../support/uploading.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await aBetaSchool(world)
const person = await world.aMember(school, ['owner'])
const owner = await signedIn(world, school, person)
const { connection } = world.database

/**
 * Creates, changes and removes an object of each kind. Returns the pages of objects that remain.
 */
async function useEveryForm(): Promise<string[]> {
  const browser = new AdminBrowser(owner)
  const student = await world.aMember(school, ['student'])
  const lecturer = await world.aMember(school, ['lecturer'])
  const setup = { world, school, browser, student, lecturer }
  const made: string[] = []
  for (const [name, plan] of Object.entries(FORM_CASES)) {
    const { path } = await browser.make(await plan(setup), name)
    made.push(path)
    const formCase = await plan(setup)
    if (formCase.edit !== undefined) await browser.done(`${path}/edit`, formCase.edit.typed)
    for (const [action] of formCase.actions) await browser.done(`${path}/${action}`)
    if (formCase.remove === undefined) continue
    const { path: removed } = await browser.make(formCase, name)
    await browser.done(`${removed}/${formCase.remove}`)
  }
  return made
}

/**
 * Does the first action of each list with one selected row, if it is possible for that row, and
 * with none. What an action costs for one row is in the line of that action.
 */
async function useSelections(made: readonly string[]): Promise<void> {
  const { form_token = '' } = hiddenFields((await owner.get('/admin')).body, '/sign-out')
  for (const resource of RESOURCES) {
    const offered = resource.list === undefined ? [] : actionsForMany(resource)
    const action = offered.find(({ does }) => does.fields.length === 0)
    if (action === undefined) continue
    const path = made.find((one) => one.startsWith(`/admin/${resource.path}/`))
    const id = action.tone === 'danger' ? uuidv7() : (path?.split('/').at(-1) ?? uuidv7())
    const fields = { form_token, action: action.path }
    const one = `/admin/${resource.path}/${id}/${action.path}`
    const asks = (await owner.get(one)).body
    const version = /name="if_version" value="(\d+)"/.exec(asks)?.[1] ?? ''
    const row = { id, [versionName(id)]: version }
    const answer = await owner.post(selectionPath(resource), { ...fields, ...row })
    expect([303, 409], resource.path).toContain(answer.statusCode)
    const none = await owner.post(selectionPath(resource), fields)
    expect(none.statusCode, resource.path).toBe(303)
  }
}

/**
 * Exports and imports rows, and counts the figures of that page anew. Returns the page of the
 * export.
 */
async function useJobs(figures: string): Promise<string> {
  const browser = new AdminBrowser(owner)
  expect((await browser.fill(figures, '/admin/analytics/recount', {})).statusCode).toBe(303)
  const { path } = await browser.done('/admin/jobs/new', { resource: 'members', format: 'csv' })
  await finishJobs(world)
  expect((await browser.get(`${path}/file`)).statusCode).toBe(200)
  const rows = Buffer.from('email,name,roles\n')
  const sent = await uploadTo(owner, '/admin/jobs/import', {
    name: 'rows.csv',
    type: 'text/csv',
    bytes: rows,
    fields: { resource: 'members' },
  })
  expect(sent.statusCode).toBe(303)
  await finishJobs(world)
  const check = String(sent.headers.location).split('?')[0] ?? ''
  const html = await browser.page(check)
  const again = await browser.fill(html, `${check}/columns`, {
    heading: ['email', 'name', 'roles'],
    column: ['email', 'name', ''],
  })
  await finishJobs(world)
  const { form_token = '' } = hiddenFields(html, '/sign-out')
  const checked = String(again.headers.location).split('?')[0] ?? ''
  expect((await owner.post(`${checked}/import`, { form_token })).statusCode).toBe(303)
  const list = { form_token, resource: 'courses', only: '{"search":"a"}' }
  expect((await owner.post('/admin/jobs/export', list)).statusCode).toBe(303)
  for (const [resource, parent] of [
    ['meeting-attendees', 'meeting_id'],
    ['study-group-members', 'group_id'],
    ['enrollments', 'student_id'],
  ] as const) {
    const rows = { form_token, resource, only: JSON.stringify({ [parent]: uuidv7() }) }
    expect((await owner.post('/admin/jobs/export', rows)).statusCode, resource).toBe(303)
  }
  await finishJobs(world)
  return path
}

/** The URLs that a page leads to: its links, and its GET forms with each of their choices. */
function urlsIn(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]*\bhref="(\/[^"#]*)/g)].map(([, url = '']) => url)
  const forms = html.matchAll(/<form\b[^>]*method="get"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)
  const searches = [...forms].flatMap(([, action = '', body = '']) => {
    const current = currentValues(html, action) as Record<string, string>
    return choicesIn(body).map(
      ([name, value]) => `${action}?${new URLSearchParams({ ...current, [name]: value })}`,
    )
  })
  return [...links, ...searches].map((url) => url.replaceAll('&amp;', '&'))
}

function choicesIn(form: string): (readonly [name: string, value: string])[] {
  const selects = form.matchAll(/<select\b[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)
  const inputs = form.matchAll(/<input\b[^>]*type="(?:text|search|email)"[^>]*>/g)
  return [
    ...[...selects].flatMap(([, name = '', options = '']) =>
      [...options.matchAll(/value="([^"]+)"/g)].map(([, value = '']) => [name, value] as const),
    ),
    ...[...inputs].map(([tag]) => [/name="([^"]*)"/.exec(tag)?.[1] ?? '', 'ada'] as const),
  ]
}

/** Pages are of one kind if only an id or a cursor is different. */
const kindOf = (url: string): string =>
  url.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replace(/\b(after|before)=[^&]*/, '$1=')

/** Opens one page of every kind that can be reached from `from`. Returns the kinds. */
async function visitAll(visitor: Visitor, from: readonly string[]): Promise<Set<string>> {
  const seen = new Set(from.map(kindOf))
  const queue = [...from]
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const answer = await visitor.get(url)
    expect(answer.statusCode, url).toBeLessThan(400)
    for (const next of urlsIn(answer.body)) {
      // Combinations of filters would take time and add no statement.
      const isSecondFilter = url.includes('?') && next.includes('?')
      if (seen.has(kindOf(next)) || isSecondFilter || next.startsWith('/docs')) continue
      seen.add(kindOf(next))
      queue.push(next)
    }
  }
  return seen
}

/** The full lists of what belongs to an object. Its page links to them only if they are long. */
function listsOf(path: string): string[] {
  const resource = RESOURCES.find((one) => path.startsWith(`/admin/${one.path}/`))
  return (resource?.related ?? []).map((related) => `${path}/${related.path}`)
}

let written: readonly AnsweredRequest[] = []
let visited: readonly AnsweredRequest[] = []
let seen = new Set<string>()

beforeAll(async () => {
  let made: string[] = []
  // Not counted: the first look at the figures after a write counts them.
  const figures = await new AdminBrowser(owner).page('/admin/analytics')
  written = await costs.of(async () => {
    made = await useEveryForm()
    await addExamples(world, school)
    await publishExamples(school)
    const student = await world.aMember(school, ['student'])
    await performAdminActions({ browser: new AdminBrowser(owner), owner, student })
    made.push(await useJobs(figures))
    await useSelections(made)
  })
  await aPair(world, school, await world.aPublicClient(school), person)
  visited = await costs.of(async () => {
    const examples = [`/admin/forms/${EXAMPLE.form}`, `/admin/students/${EXAMPLE.student}`]
    const own = [...made, ...examples].flatMap((path) => [path, ...listsOf(path)])
    seen = await visitAll(owner, ['/', '/account', '/account/settings', '/admin', ...own])
  })
})

test('creating, changing and removing objects in the admin area reads no whole table', async () => {
  const statements = written.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

test('no page reads a whole table, with any search, filter or order', async () => {
  const listed = MENU.flatMap(({ items }) => items.map(({ href }) => href))
  const shown = RESOURCES.map(({ path }) => `/admin/${path}/:id`)
  expect([...listed, ...shown].filter((page) => !seen.has(page))).toEqual([])
  const statements = visited.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

testStatements('Pages of a school', () => [...written, ...visited])
