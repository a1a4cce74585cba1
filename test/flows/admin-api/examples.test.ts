import { beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { neededScopes } from '../../../src/domain/operation/operation.ts'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, EVERY_OPERATOR_SCOPE, OperatorClient } from '../../support/admin-api.ts'
import { aPair, refresh } from '../../support/client-like.ts'
import { addExamples, clearExamples } from '../../support/example-school.ts'
import { CLAUDE } from '../../support/oauth-world.ts'
import { sharedWorld, type TestPerson, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool
let owner: TestPerson
let full: OperatorClient
const holding = new Map<string, OperatorClient>()
const lacking = new Map<string, OperatorClient>()

const operatorScopes = SCOPES.filter(({ audience }) => audience === 'operator').map((s) => s.name)

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  full = await anOperator(world, school)
  owner = full.person
  // Pairs with narrower scopes, all refreshed from one pair before any is used: a use retires that
  // pair.
  const pair = await aPair(world, school, CLAUDE, owner, { scope: EVERY_OPERATOR_SCOPE })
  const narrowed = async (scopes: readonly string[]) => {
    const answer = await refresh(world, school, CLAUDE, pair.refresh_token, {
      scope: scopes.join(' '),
    })
    return new OperatorClient(world, school, owner, answer.json().access_token)
  }
  for (const scope of operatorScopes) {
    holding.set(scope, await narrowed([scope]))
    lacking.set(scope, await narrowed(operatorScopes.filter((other) => other !== scope)))
  }
})

async function resetExamples(): Promise<void> {
  await clearExamples(school)
  await addExamples(world, school)
}

describe('every operation', () => {
  test('has an example, and no two have the same name', () => {
    expect(ROUTES.filter(({ operation }) => operation.examples.length === 0)).toEqual([])
    expect(new Set(ROUTES.map(({ operation }) => operation.name)).size).toBe(ROUTES.length)
  })

  verifies(
    [
      'scope.courses',
      'scope.students',
      'scope.members',
      'scope.analytics',
      'scope.curriculum',
      'scope.orders',
      'scope.school',
      'scope.appearance',
      'scope.events',
      'scope.membership-plans',
      'scope.coupons',
      'scope.posts',
      'scope.subscriptions',
      'scope.digital-products',
      'scope.comments',
      'scope.lecturers',
      'scope.forms',
      'scope.pages',
    ],
    'runs its examples with only its own scope, and is refused without it',
    async () => {
      let isReset = false
      for (const route of ROUTES) {
        const { operation } = route
        for (const { title, input } of operation.examples) {
          if (!isReset) await resetExamples()
          isReset = operation.kind === 'read'
          const needed = neededScopes(operation, input)
          const [scope = ''] = needed
          const refused = await lacking.get(scope)?.perform(route, input)
          expect(refused?.statusCode, `${operation.name} without ${scope}`).toBe(403)
          expect(refused?.headers['www-authenticate']).toContain(scope)
          const client = needed.length === 1 ? holding.get(scope) : full
          const answer = await client?.perform(route, input)
          const wanted = operation.kind === 'create' ? 201 : 200
          expect(answer?.statusCode, `${operation.name}, ${title}: ${answer?.body}`).toBe(wanted)
          // A write scope alone shows only a part of the object (write-only.slow.test.ts).
          if (operation.kind !== 'read') continue
          const output = operation.output.safeParse(answer?.json())
          expect(output.error, `${operation.name}, ${title}`).toBeUndefined()
        }
      }
    },
  )

  test('writes with write scopes and reads with read scopes', () => {
    for (const { operation } of ROUTES) {
      const wanted = operation.kind === 'read' ? ':read' : ':write'
      expect(operation.scopes.map((scope) => scope.slice(scope.indexOf(':')))).toEqual([wanted])
    }
  })

  test('every operator scope is used by an operation', () => {
    const opened = new Set(ROUTES.flatMap(({ operation }) => operation.scopes))
    expect(
      operatorScopes.filter((scope) => !opened.has(scope) && scope !== 'storage:write'),
    ).toEqual([])
  })
})

describe('every import and export', () => {
  beforeAll(resetExamples)

  verifies(
    'admin-api.bulk',
    'runs its examples as NDJSON and as CSV with only its own scope, and is refused without it',
    async () => {
      for (const { method, path, operation, rows, kind } of BULK_ROUTES) {
        const [scope = ''] = operation.scopes
        for (const [type, { example }] of Object.entries(rows.content)) {
          const format = type === 'text/csv' ? 'csv' : 'ndjson'
          const label = `${operation.name} as ${format}`
          const asked = method === 'GET' ? `${path}?format=${format}` : path
          const sent = method === 'GET' ? {} : { body: example, headers: { 'content-type': type } }
          const refused = await lacking.get(scope)?.send(method, asked, sent)
          expect(refused?.statusCode, label).toBe(403)
          expect(refused?.headers['www-authenticate']).toContain(scope)
          const answer = await holding.get(scope)?.send(method, asked, sent)
          expect(answer?.statusCode, `${label}: ${answer?.body}`).toBe(200)
          if (method === 'GET') {
            expect(answer?.headers['content-type'], label).toContain(type)
            expect(answer?.headers['content-disposition']).toBe(
              `attachment; filename="${kind.name}.${format}"`,
            )
            continue
          }
          expect(answer?.json(), label).toMatchObject({ rows: 1, failed: 0, complete: true })
          // Both formats have the same row.
          const again = await full.send(method, asked, sent)
          expect(operation.output.safeParse(again.json()).error, label).toBeUndefined()
          expect(again.json(), label).toMatchObject({ rows: 1, unchanged: 1 })
        }
      }
    },
  )

  test('kinds without a write scope have no import, and kinds without any scope have no route', () => {
    const paths = BULK_ROUTES.map(({ path }) => path)
    for (const name of ['orders', 'payments', 'progress', 'comments', 'forms']) {
      expect(paths).toContain(`/${name}/export`)
      expect(paths).not.toContain(`/${name}/import`)
    }
    expect(paths.filter((path) => path.startsWith('/notifications'))).toEqual([])
  })
})
