import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/domain/grants/caller.ts'
import { neededScopes } from '../../src/domain/operation/operation.ts'
import { ScopeSet } from '../../src/foundation/protocol/scope-set.ts'
import { JOB_ROUTES, ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import { UPLOAD_ROUTE } from '../../src/surfaces/admin-api/upload.ts'
import { OPERATOR_TOOLS } from '../../src/surfaces/mcp/operator/operator-tools.ts'
import { everyOperation } from '../support/every-operation.ts'

const operations = await everyOperation()
const unscoped = operations.filter(
  ({ scopes, judgesScopes }) => scopes.length === 0 && judgesScopes !== true,
)

describe('operations', () => {
  test('each has a unique name', () => {
    const names = operations.map(({ name }) => name)
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
  })
})

test('only those of jobs judge the scopes of a token themselves', () => {
  const judging = operations.filter(({ judgesScopes }) => judgesScopes === true)
  expect(judging.map(({ name }) => name).sort()).toEqual([
    'exports.start',
    'jobs.cancel',
    'jobs.list',
    'jobs.read',
  ])
})

describe('operations without a scope, which any token could call', () => {
  test('have no route in the REST API', () => {
    const routed = [...ROUTES, ...JOB_ROUTES, UPLOAD_ROUTE].map(({ operation }) => operation)
    expect(routed.filter((operation) => unscoped.includes(operation))).toEqual([])
  })

  test('are in no MCP tool: a token without scopes sees no tool', () => {
    const caller = { scopes: ScopeSet.empty } as Caller
    expect(OPERATOR_TOOLS.filter((tool) => tool.wireFor(caller, '/mcp') !== undefined)).toEqual([])
  })

  test('are refused by the scope check for apps, if one is listed by mistake', () => {
    for (const operation of unscoped) expect(() => neededScopes(operation)).toThrow('no scope')
  })
})
