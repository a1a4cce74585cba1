import { beforeAll, describe, expect, test } from 'vitest'
import type { ImportSummary } from '../../../src/domain/bulk/import-rows.ts'
import { BULK_KINDS } from '../../../src/domain/catalogue/bulk-kinds.ts'
import type { Operation } from '../../../src/domain/operation/operation.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { RESOURCES } from '../../../src/surfaces/pages/admin/resources/all-resources.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { AdminBrowser, errorsIn, wrongFields } from '../../support/admin-browser.ts'
import type { Answer } from '../../support/browser-like.ts'
import { importInto } from '../../support/bulk.ts'
import { addExamples, everyRow } from '../../support/example-school.ts'
import { anOwner } from '../../support/operator-like.ts'
import { Performer } from '../../support/performing.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'
import { callTool, post, type Rpc, request } from '../mcp/tool-endpoint.ts'
import { BAD_ROWS, type BadRow, MADE } from './bad-rows.ts'

const world = await sharedWorld()

let school: TestSchool
let operator: OperatorClient
let performer: Performer
let browser: AdminBrowser
/** The tool that performs an operation. */
const toolOf = new Map<string, string>()

beforeAll(async () => {
  school = await world.aSchool()
  await addExamples(world, school)
  const times = { starts_at: new Date('2098-01-01'), ends_at: new Date('2098-01-02') }
  const { service, group, meeting, emptyForm } = MADE
  await school.db.insert('consulting_services', { id: service, title: 'Coaching' }).execute()
  await school.db.insert('study_groups', { id: group, name: 'Group' }).execute()
  await school.db
    .insert('consulting_meetings', { id: meeting, service_id: service, title: 'One', ...times })
    .execute()
  await school.db
    .insert('forms', { id: emptyForm, slug: 'empty', title: 'Empty', state: 'draft' })
    .execute()
  operator = await anOperator(world, school)
  performer = new Performer(school, operator.person)
  browser = new AdminBrowser(await anOwner(world, school))
  const listed = await post(world, school, request('tools/list'), { token: operator.accessToken })
  for (const { name, inputSchema } of listed.json<Rpc<Tools>>().result?.tools ?? []) {
    for (const action of inputSchema.properties?.action?.enum ?? []) toolOf.set(action, name)
  }
})

interface Tools {
  readonly tools: readonly {
    readonly name: string
    readonly inputSchema: {
      readonly properties?: { readonly action?: { readonly enum?: string[] } }
    }
  }[]
}

interface Problem {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

test('every kind has a bad row, and every rule of a kind has one', () => {
  for (const { name, rules = [] } of BULK_KINDS) {
    const refusals = (BAD_ROWS[name] ?? []).map(({ refusal }) => refusal)
    expect(refusals, name).not.toEqual([])
    for (const { kind, field, code } of rules) {
      expect(refusals, name).toContain(kind === 'conflict' ? code : `/${field} ${code}`)
    }
  }
})

test('every kind that the admin area can create has a bad row for its form', () => {
  const created = new Set<unknown>(RESOURCES.map(({ create }) => create))
  const lacking = BULK_KINDS.filter(({ name }) => {
    const rows = BAD_ROWS[name] ?? []
    const operations = rows.flatMap((bad) => bad.operations ?? [])
    return operations.some(([one]) => created.has(one)) && !rows.some(({ form }) => form)
  })
  expect(lacking.map(({ name }) => name)).toEqual([])
})

const routeOf = (operation: Operation) => ROUTES.find((route) => route.operation === operation)

describe.each(BULK_KINDS.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  test.each((BAD_ROWS[name] ?? []).map((bad) => [bad.refusal, bad] as const))(
    'are refused with %s in every way, and nothing is written',
    async (_refusal, bad) => {
      const before = await everyRow(school)
      const { errors } = await importInto(school, kind, [bad.row])
      const problems = problemsOf({ errors })
      expect(problems.map(asRefusal(bad)), 'import').toEqual([bad.refusal])
      for (const [operation, input = bad.row] of bad.operations ?? []) {
        await refusedByOperation(operation, input, bad)
      }
      if (bad.form !== undefined) await refusedByForm(bad, bad.form, problems[0]?.detail)
      expect(await everyRow(school)).toBe(before)
    },
  )
})

async function refusedByOperation(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  bad: BadRow,
): Promise<void> {
  expect(await performer.isRefused(operation, input), operation.name).toBe(bad.refusal)
  const route = routeOf(operation)
  if (route === undefined) return
  const answer = await operator.perform(route, input)
  expect(refusalIn(answer), `REST ${operation.name}`).toBe(bad.refusal)
  const { detail, errors = [] } = answer.json<{ detail: string; errors?: Problem[] }>()
  const given = { action: operation.name, input }
  const tool = await callTool(world, school, toolOf.get(operation.name) ?? '', given, {
    token: operator.accessToken,
  })
  expect(tool.isError, `tool ${operation.name}`).toBe(true)
  const words =
    errors.length === 0 ? [detail] : errors.map((one) => `${one.pointer}: ${one.detail}`)
  for (const said of words) expect(tool.content[0]?.text).toContain(said)
}

async function refusedByForm(
  { refusal }: BadRow,
  [path, typed]: NonNullable<BadRow['form']>,
  detail: string | undefined,
): Promise<void> {
  const answer = await browser.send(path, typed)
  const [field, code = field] = refusal.split(' ')
  const isConflict = !refusal.startsWith('/')
  expect(answer.statusCode, `form ${path}`).toBe(isConflict ? 409 : 422)
  expect(wrongFields(answer.body), `form ${path}`).toEqual(isConflict ? [] : [field?.slice(1)])
  if (WORDS_OF_THE_FIELD.has(code ?? '')) return
  const shown = isConflict ? answer.body : errorsIn(answer.body).join()
  expect(shown, `form ${path}`).toContain(detail)
}

/** For these a form says what to type into its field, which it knows better than the operation. */
const WORDS_OF_THE_FIELD = new Set(['required', 'wrong_type', 'too_small', 'too_big'])

function refusalIn(answer: Answer): string {
  const { reason, errors = [] } = answer.json<{ reason?: string; errors?: Problem[] }>()
  return reason ?? errors.map(({ pointer, code }) => `${pointer} ${code}`).join()
}

function problemsOf({ errors }: Pick<ImportSummary, 'errors'>): readonly Problem[] {
  return errors.flatMap((row) => row.errors)
}

const asRefusal =
  ({ refusal }: BadRow) =>
  ({ pointer, code }: Problem): string =>
    refusal.startsWith('/') ? `${pointer} ${code}` : code
