import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { EXAMPLE } from '../../../src/domain/operation/example-ids.ts'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk-routes.ts'
import type { Route } from '../../../src/surfaces/admin-api/route.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { UPLOAD_ROUTE } from '../../../src/surfaces/admin-api/upload.ts'
import { anOperator } from '../../support/admin-api.ts'
import type { Answer } from '../../support/browser-like.ts'
import { clearExamples, furnishExamples } from '../../support/example-school.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const operator = await anOperator(world, school)
const { connection, statementsOf } = world.database

type Input = Readonly<Record<string, unknown>>

async function refurnish(): Promise<void> {
  await clearExamples(school)
  await furnishExamples(world, school)
}

function checkTaken({ operation }: Route, answer: Answer): void {
  expect(answer.statusCode, `${operation.name}: ${answer.body}`).toBeLessThan(300)
}

async function performExamples(): Promise<void> {
  let furnished = false
  for (const route of ROUTES) {
    for (const { input } of route.operation.examples) {
      if (!furnished) await refurnish()
      checkTaken(route, await operator.perform(route, input))
      furnished = route.operation.kind === 'read'
    }
  }
}

async function sendFiles(): Promise<void> {
  await refurnish()
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

let performed: readonly AnsweredRequest[] = []
let filesSent: readonly AnsweredRequest[] = []

beforeAll(async () => {
  // The first use of a token is a write.
  await operator.get('/school')
  performed = await costs.of(performExamples)
  filesSent = await costs.of(sendFiles)
}, 60_000)

test('no example of an operation reads a whole table, a read or a write', async () => {
  const statements = performed.flatMap((request) => request.statements)
  expect(new Set(statements).size).toBeGreaterThan(ROUTES.length)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
}, 60_000)

test('no import or export reads a whole table', async () => {
  const statements = filesSent.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
}, 60_000)

testStatements('Admin API', () => [...performed, ...filesSent])

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
}

/** Values that a parameter takes, one of each sort. */
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
  email: 'somebody@people.test',
}

/** Every parameter of a list by itself, beside what it cannot do without. */
function waysToAsk({ operation }: Route): readonly Input[] {
  const needed = operation.examples[0]?.input ?? {}
  const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input' })
  const optional = Object.entries(properties).filter(([name]) => !(name in needed))
  return optional
    .filter(([name]) => name !== 'after')
    .flatMap(([name, schema]) =>
      valuesOf(schema as Schema).map((value) => ({ ...needed, limit: 1, [name]: value })),
    )
}

test('no filter, sorting or further page of a list reads a whole table', async () => {
  await refurnish()
  const lists = ROUTES.filter(({ operation: { input } }) => 'after' in input.shape)
  expect(lists.length).toBeGreaterThan(15)
  const statements = await statementsOf(async () => {
    for (const route of lists) {
      for (const input of waysToAsk(route)) {
        const answer = await operator.perform(route, input)
        checkTaken(route, answer)
        const { next } = answer.json()
        if (next !== null)
          checkTaken(route, await operator.perform(route, { ...input, after: next }))
      }
    }
  })
  expect(await wholeReads(connection, statements)).toEqual(new Map())
}, 60_000)
