import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk.ts'
import type { Route } from '../../../src/surfaces/admin-api/route.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { UPLOAD_ROUTE } from '../../../src/surfaces/admin-api/upload.ts'
import { anOperator } from '../../support/admin-api.ts'
import type { Answer } from '../../support/browser-like.ts'
import { addExamples, clearExamples } from '../../support/example-school.ts'
import { finishJobs } from '../../support/jobs.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const operator = await anOperator(world, school)
const { connection, statementsOf } = world.database

type Input = Readonly<Record<string, unknown>>

async function resetExamples(): Promise<void> {
  await clearExamples(school)
  await addExamples(world, school)
}

function checkAccepted({ operation }: Route, answer: Answer): void {
  expect(answer.statusCode, `${operation.name}: ${answer.body}`).toBeLessThan(300)
}

async function performExamples(): Promise<void> {
  let isReset = false
  for (const route of ROUTES) {
    for (const { input } of route.operation.examples) {
      if (!isReset) await resetExamples()
      checkAccepted(route, await operator.perform(route, input))
      isReset = route.operation.kind === 'read'
    }
  }
}

async function sendFiles(): Promise<void> {
  await resetExamples()
  for (const { method, path, rows } of BULK_ROUTES) {
    const example = rows.content['application/x-ndjson']?.example
    const headers = { 'content-type': 'application/x-ndjson' }
    const sent = method === 'GET' ? {} : { body: example, headers }
    const answer = await operator.send(method, path, sent)
    expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBe(200)
  }
  const uploaded = await operator.send('POST', `${UPLOAD_ROUTE.path}?name=words.txt`, {
    body: 'words',
    headers: { 'content-type': 'text/plain' },
  })
  expect(uploaded.statusCode, uploaded.body).toBe(201)
  const headers = { host: new URL(school.origin).host }
  const url = `/files/${uploaded.json().id}`
  expect((await world.app.inject({ url, headers })).statusCode).toBe(200)
}

async function useJobs(): Promise<void> {
  const prefer = { prefer: 'respond-async' }
  const started = await operator.get('/members/export', prefer)
  const path = `/jobs/${started.json().id}`
  expect((await operator.post(`${path}/cancel`)).statusCode).toBe(200)
  expect((await operator.post('/analytics/recount', {})).statusCode).toBe(202)
  const next = `/jobs/${(await operator.get('/members/export', prefer)).json().id}`
  await finishJobs(world)
  for (const address of ['/jobs', next, `${next}/file`]) {
    expect((await operator.get(address)).statusCode, address).toBe(200)
  }
}

let jobsUsed: readonly AnsweredRequest[] = []
let performed: readonly AnsweredRequest[] = []
let filesSent: readonly AnsweredRequest[] = []

beforeAll(async () => {
  // The first use of a token is a write.
  await operator.get('/school')
  performed = await costs.of(performExamples)
  filesSent = await costs.of(sendFiles)
  jobsUsed = (await costs.of(useJobs)).filter(({ endpoint }) => /\/jobs|\/recount/.test(endpoint))
})

test('no example of a read or write operation reads a whole table', async () => {
  const statements = performed.flatMap((request) => request.statements)
  expect(new Set(statements).size).toBeGreaterThan(ROUTES.length)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

test('no import or export reads a whole table', async () => {
  const statements = filesSent.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

test('no job reads a whole table', async () => {
  const statements = jobsUsed.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

testStatements('Admin API', () => [...performed, ...filesSent, ...jobsUsed])

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
}

/** Values that a parameter accepts: all of an enum, otherwise one. */
function valuesOf(schema: Schema): readonly unknown[] {
  if (schema.enum !== undefined) return schema.enum
  if (schema.type === 'array') return [schema.items?.enum]
  if (schema.type === 'boolean') return [true, false]
  if (schema.type === 'integer') return [1]
  return [WORDS[schema.format ?? ''] ?? '2026']
}

const WORDS: Readonly<Record<string, string>> = {
  uuid: EXAMPLE.student,
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  email: 'ada@people.test',
}

/** One input for each value of each optional parameter, with the required parameters. */
function inputsOf({ operation }: Route): readonly Input[] {
  const needed = operation.examples[0]?.input ?? {}
  const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input' })
  const optional = Object.entries(properties).filter(([name]) => !(name in needed))
  return optional
    .filter(([name]) => name !== 'after')
    .flatMap(([name, schema]) =>
      valuesOf(schema as Schema).map((value) => ({ ...needed, limit: 1, [name]: value })),
    )
}

test('no filter, order or later page of a list reads a whole table', async () => {
  await resetExamples()
  const lists = ROUTES.filter(({ operation: { input } }) => 'after' in input.shape)
  expect(lists.length).toBeGreaterThan(15)
  const statements = await statementsOf(async () => {
    for (const route of lists) {
      for (const input of inputsOf(route)) {
        const answer = await operator.perform(route, input)
        checkAccepted(route, answer)
        const { next } = answer.json()
        if (next !== null)
          checkAccepted(route, await operator.perform(route, { ...input, after: next }))
      }
    }
  })
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})
