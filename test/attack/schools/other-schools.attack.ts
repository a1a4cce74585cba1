import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { callTool, demoSchoolsAt, post, request } from '../../flows/mcp/tool-endpoint.ts'
import { anOperator } from '../../support/admin-api.ts'
import { digestOf, type RoutePattern, secretsOf, UUID } from '../../support/admin-crawl.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { anOwner } from '../../support/operator-like.ts'
import { aTool } from '../../support/tools.ts'
import type { TestSchool, World } from '../../support/world.ts'
import { keepPart } from '../report/keep-part.ts'

/**
 * The long version of test/tenancy: every route of the admin area and of the REST API, and every
 * action of every tool, with an id of every table of another school, whether it fits or not.
 */

/** One id of each table of the school, as text. */
async function idsOf(world: World, school: TestSchool): Promise<readonly string[]> {
  const { db } = world.database
  const tables = await sql<{ name: string }>`
    select s.table_name as name from information_schema.columns s
      join information_schema.columns i on i.table_name = s.table_name and i.column_name = 'id'
    where s.table_schema = 'public' and i.table_schema = 'public' and s.column_name = 'school_id'
      and i.data_type = 'uuid' order by 1`.execute(db)
  const ids = new Set<string>([school.id])
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(name)} where school_id = ${school.id} limit 1`.execute(db)
    for (const { id } of rows) ids.add(id)
  }
  return [...ids]
}

/** A copy of an example with every id replaced. */
const withId = (input: object, id: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(input).replaceAll(new RegExp(UUID, 'g'), id))

test('no id of another school finds, shows or changes anything, by any road', async () => {
  const routes: RoutePattern[] = []
  const world = await aDemoWorld({
    onRoute: ({ method, url }) => {
      for (const one of [method].flat()) {
        if (url.startsWith('/admin') && (one === 'GET' || one === 'POST')) {
          routes.push({ method: one, url })
        }
      }
    },
  })
  const schoolOf = await demoSchoolsAt(world)
  const theirs = await world.theSchoolAt((await schoolOf('demo')).origin)
  await aTool(world, theirs)
  const mine = await world.aSchool({ mcpConnections: true })
  const owner = await anOwner(world, mine)
  const operator = await anOperator(world, mine)
  const token = operator.accessToken
  const form_token = hiddenFields((await owner.get('/account')).body, '/sign-out').form_token ?? ''
  const [ids, secrets] = [await idsOf(world, theirs), await secretsOf(world, theirs)]
  const before = await digestOf(world, theirs)
  const tried: Record<string, { requests: number; failures: number; leaks: number }> = {}
  const judge = (road: string, status: number, body: string): void => {
    const row = tried[road] ?? { requests: 0, failures: 0, leaks: 0 }
    tried[road] = row
    row.requests += 1
    if (status >= 500) row.failures += 1
    if (secrets.some((secret) => body.includes(secret))) row.leaks += 1
  }

  for (const id of ids) {
    for (const { method, url } of routes.filter((route) => route.url.includes(':'))) {
      const address = url.replaceAll(/:\w+/g, id)
      const answer =
        method === 'GET' ? await owner.get(address) : await owner.post(address, { form_token })
      judge('admin pages and forms', answer.statusCode, answer.body)
    }
    for (const route of ROUTES) {
      for (const { input } of route.operation.examples) {
        const answer = await operator.perform(route, withId(input, id))
        judge('REST API', answer.statusCode, answer.body)
      }
    }
    const { result } = (await post(world, mine, request('tools/list'), { token })).json()
    const examples = new Map(ROUTES.map(({ operation }) => [operation.name, operation.examples]))
    for (const { name, inputSchema } of result.tools) {
      for (const action of inputSchema.properties.action?.enum ?? []) {
        for (const { input } of examples.get(action) ?? []) {
          const call = { action, input: withId(input, id) }
          const answer = await callTool(world, mine, name, call, { token })
          judge('tools', 200, JSON.stringify(answer))
        }
      }
    }
  }

  const changed = (await digestOf(world, theirs)) === before ? 'no' : 'yes'
  keepPart('other-schools', {
    order: 30,
    title: 'Ids of another school',
    lead: [
      `An owner of one school sends ${ids.length} ids of another, one of each of its tables, to every route and every action.`,
      `Rows of the other school that changed: ${changed}.`,
    ],
    columns: ['Road', 'Requests', '5xx', 'Answers with a name of the other school'],
    rows: Object.entries(tried).map(([road, row]) => [road, row.requests, row.failures, row.leaks]),
  })
  for (const [road, { failures, leaks }] of Object.entries(tried)) {
    expect([failures, leaks], road).toEqual([0, 0])
  }
  expect(changed).toBe('no')
})
