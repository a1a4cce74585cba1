import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, test } from 'vitest'
import { API_ROOT } from '../../../src/domain/operation/operation.ts'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk.ts'
import { type DescribedRoute, type Method, planOf } from '../../../src/surfaces/admin-api/route.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { anOperator, type OperatorClient, requestOf } from '../../support/admin-api.ts'
import type { Answer } from '../../support/browser-like.ts'
import { addExamples } from '../../support/example-school.ts'
import { aWorld, type World } from '../../support/world.ts'

/** Values that are wrong for at least one field. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  '',
  ' ',
  'nul\u0000',
  '\ud800',
  '9999-12-31T23:59:59Z',
  '0001-01-01',
  '%00',
  'x'.repeat(5000),
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  [],
  ['a', null],
  {},
  { a: 1 },
]

/** Parameters that share their code in all lists: testing them once is enough. */
const COMMON = ['limit', 'after', 'include_total']

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

let world: World
let operator: OperatorClient
let described: Described

const ajv = new Ajv2020({ strict: false, validateSchema: false })
addFormats.default(ajv)

/** The schema of an answer in the published description. */
function shapeOf({ method, path }: DescribedRoute, status: number): ValidateFunction {
  const way = ['paths', API_ROOT + path, method.toLowerCase(), 'responses', status, 'content']
  const steps = [...way, 'application/json', 'schema'].map((step) =>
    String(step).replaceAll('~', '~0').replaceAll('/', '~1'),
  )
  const shape = ajv.getSchema(`openapi.json#/${steps.map(encodeURIComponent).join('/')}`)
  if (shape === undefined) throw new Error(`${method} ${path} declares no shape`)
  return shape
}

/** The answer is no 5xx, and has a declared status and the declared schema. */
function check(route: DescribedRoute, answer: Answer, input: string): void {
  const { statusCode, body } = answer
  const where = `${route.method} ${route.path} ${input}: ${statusCode} ${body.slice(0, 300)}`
  expect(statusCode, where).toBeLessThan(500)
  const methods = described.paths[API_ROOT + route.path] ?? {}
  const declared = methods[route.method.toLowerCase()]?.responses ?? {}
  expect(Object.keys(declared), where).toContain(String(statusCode))
  if (statusCode === 304 || (statusCode === 200 && isExport(route))) return
  if (statusCode < 300) {
    const shape = shapeOf(route, statusCode)
    expect(shape(answer.json()) ? [] : shape.errors, where).toEqual([])
    return
  }
  expect(answer.headers['content-type'], where).toContain('application/problem+json')
  expect(answer.json(), where).toMatchObject({ status: statusCode, request_id: expect.any(String) })
}

const isExport = ({ rows, method }: DescribedRoute): boolean =>
  rows !== undefined && method === 'GET'

/**
 * One in `share` of the values for each field, another one for the next field: together they use
 * all values.
 */
const some = (share: number, place: number) =>
  STRANGE.filter((_value, index) => (index + place) % share === 0)

const methods: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE']

const ODD = ['', 'x', '-1', '1.5', '9e9', 'true', '%00', '[]']

/**
 * Sends values that do not fit to every field, parameter and column of the Admin API; with `share`
 * 1 each to each.
 */
export function sendStrangeInput(share: number): void {
  beforeAll(async () => {
    world = await aWorld()
    const school = await world.aSchool()
    await addExamples(world, school)
    operator = await anOperator(world, school)
    const headers = { host: new URL(school.origin).host }
    described = (await world.app.inject({ url: '/openapi.json', headers })).json()
    ajv.addSchema(described, 'openapi.json')
  })

  describe('strange input gets a declared refusal, never a 5xx', () => {
    for (const method of methods) {
      const routes = ROUTES.filter((route) => route.method === method)

      test(`bodies and parameters of ${method}`, async () => {
        for (const route of routes) {
          const example = route.operation.examples[0]?.input ?? {}
          const plan = planOf(route)
          const common = route.path === '/courses' ? [] : COMMON
          const names = [...plan.body, ...Object.keys(plan.query)].filter(
            (n) => !common.includes(n),
          )
          for (const [place, name] of names.entries()) {
            const { [name]: _left, ...without } = example
            check(route, await operator.perform(route, without), `without ${name}`)
            const answers = some(share, place).map(async (value) => {
              const answer = await operator.perform(route, { ...example, [name]: value })
              check(route, answer, `${name} = ${JSON.stringify(value)?.slice(0, 60)}`)
            })
            await Promise.all(answers)
          }
        }
      })

      test(`path parameters of ${method}`, async () => {
        for (const route of routes.filter(({ path }) => path.includes('{'))) {
          const example = route.operation.examples[0]?.input ?? {}
          for (const value of [
            'x',
            '%',
            "'; drop table courses",
            'ffffffff-ffff-4fff-bfff-ffffffffffff',
            'x'.repeat(400),
          ]) {
            const name = planOf(route).path[0] ?? ''
            const answer = await operator.perform(route, { ...example, [name]: value })
            check(route, answer, `${name} = ${value}`)
            expect(answer.statusCode).toBe(404)
          }
        }
      })
    }

    test('bodies of a wrong type', async () => {
      const bodies = ['', '{', '[]', 'null', '"x"', '{"a":', `{"x":"${'y'.repeat(1_100_000)}"}`]
      for (const route of ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH')) {
        const { path } = requestOf(route, route.operation.examples[0]?.input ?? {})
        for (const body of bodies.slice(0, route.path === '/courses' ? 7 : 6)) {
          check(route, await operator.send(route.method, path, { body }), body.slice(0, 20))
        }
        const headers = { 'content-type': 'text/plain' }
        check(route, await operator.send(route.method, path, { body: 'x', headers }), 'text')
      }
    })

    test('parameters of imports and exports', async () => {
      for (const route of BULK_ROUTES) {
        for (const name of [...Object.keys(planOf(route).query), 'what']) {
          const filter = name in (route.kind.list?.filters ?? {})
          const values = filter ? ['', 'nul\u0000'] : [...ODD, 'x'.repeat(500)]
          for (const value of values) {
            const path = `${route.path}?${name}=${encodeURIComponent(value)}`
            const headers = { 'content-type': 'text/csv' }
            const sent = route.method === 'GET' ? {} : { body: '', headers }
            check(route, await operator.send(route.method, path, sent), `${name} = ${value}`)
          }
        }
      }
    })

    test('rows of imports', async () => {
      for (const route of BULK_ROUTES.filter(({ method }) => method === 'POST')) {
        const { kind } = route
        const rows = Object.keys(kind.columns).flatMap((name, place) =>
          some(share, place).map((value) => ({ ...kind.example, [name]: value })),
        )
        const body = rows.map((row) => JSON.stringify(row)).join('\n')
        for (const dry of ['true', 'false']) {
          const path = `${route.path}?dry_run=${dry}&max_errors=10000`
          const headers = { 'content-type': 'application/x-ndjson' }
          const answer = await operator.send('POST', path, { body, headers })
          check(route, answer, 'strange rows')
          expect(answer.json(), kind.name).toMatchObject({ rows: rows.length, complete: true })
        }
        const cells = Object.keys(kind.columns).join()
        for (const file of [
          '',
          '"',
          'x',
          `${cells}\n"`,
          `${cells}\na"b`,
          `${cells}\n${'=,'.repeat(99)}`,
        ]) {
          const headers = { 'content-type': 'text/csv' }
          check(route, await operator.send('POST', route.path, { body: file, headers }), file)
        }
        const headers = { 'content-type': 'application/json' }
        check(route, await operator.send('POST', route.path, { body: '[]', headers }), 'JSON')
      }
    })
  })
}
