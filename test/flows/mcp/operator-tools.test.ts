import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../../src/domain/clients/scope-catalogue.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { verifies } from '../../spec/verifies.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import {
  aVendor,
  callTool,
  demoSchoolsAt,
  demoToken,
  post,
  type Rpc,
  request,
  toolNames,
  useTool,
} from './tool-endpoint.ts'

const world = await aDemoWorld()
const schoolOf = await demoSchoolsAt(world)
const demo = await schoolOf('demo')

const vendor = await aVendor(world, demo)
const tokenFor = (scope: string) => demoToken(world, demo, 'owner@demo.test', scope, vendor)
const reader = await tokenFor('courses:read')
const writer = await tokenFor('courses:read courses:write')

interface Acted {
  readonly action: string
  readonly result: Record<string, unknown>
  readonly restUrl: string | null
}

const act = (tool: string, action: string, input: object, token = writer) =>
  useTool<Acted>(world, demo, tool, { action, input }, { token })

interface Listed {
  readonly name: string
  readonly description: string
  readonly annotations: Record<string, unknown>
  readonly inputSchema: { properties: { action: { enum: string[] } } }
}

async function listed(token: string): Promise<Listed[]> {
  const answer = await post(world, demo, request('tools/list'), { token })
  return answer.json<Rpc<{ tools: Listed[] }>>().result?.tools ?? []
}

describe('an operator', () => {
  verifies(
    ['mcp.operator', 'mcp.unlisted'],
    'sees only the tools and actions that the scopes of the token allow',
    async () => {
      const names = await toolNames(world, demo, { token: reader })
      expect(names).toContain('read_teaching')
      expect(names).not.toContain('change_teaching')
      expect(names.filter((name) => name.startsWith('my_'))).toEqual([])
      const [read] = (await listed(reader)).filter(({ name }) => name === 'read_teaching')
      expect(read?.inputSchema.properties.action.enum).toEqual(['courses.list', 'courses.read'])
      expect(read?.annotations.readOnlyHint).toBe(true)
      const [change] = (await listed(writer)).filter(({ name }) => name === 'change_teaching')
      expect(change?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    },
  )

  verifies('mcp.operator', 'reads drafts too, in pages', async () => {
    const first = await act('read_teaching', 'courses.list', { limit: 2, state: 'draft' })
    expect(first.result).toMatchObject({ object: 'list' })
    const page = await act('read_teaching', 'courses.list', { limit: 2 })
    const next = await act('read_teaching', 'courses.list', { limit: 2, after: page.result.next })
    expect(next.result.data).not.toEqual(page.result.data)
  })

  verifies(
    'mcp.operator',
    'creates, publishes and removes a course, with audit entries',
    async () => {
      const made = await act('change_teaching', 'courses.create', {
        slug: 'by-tool',
        title: 'By tool',
      })
      const { id } = made.result
      await act('change_teaching', 'courses.publish', { id })
      const seen = await useTool(world, demo, 'get_course', { slug: 'by-tool' })
      expect(seen.course).toMatchObject({ title: 'By tool' })
      await act('change_teaching', 'courses.remove', { id })
      const entries = await world.database.db
        .selectFrom('audit_entries')
        .select(['detail'])
        .where('subject', '=', String(id))
        .execute()
      expect(entries.map(({ detail }) => detail)).toContainEqual(
        expect.objectContaining({ via: 'mcp', operation: 'courses.publish' }),
      )
    },
  )

  test('gets a message that says what is wrong with an input, and nothing is written', async () => {
    const given = { action: 'courses.create', input: { slug: 'No Slug', colour: 'red' } }
    const answer = await callTool(world, demo, 'change_teaching', given, { token: writer })
    expect(answer.isError).toBe(true)
    const text = answer.content[0]?.text
    for (const part of ['Nothing was done', '/slug', '/title', '/colour']) {
      expect(text).toContain(part)
    }
  })

  for (const [what, given] of Object.entries({
    'another argument': { action: 'courses.list', inputs: { limit: 1 } },
    'an input written as text': { action: 'courses.list', input: '{"limit":1}' },
    'an input that is a list': { action: 'courses.list', input: [] },
  })) {
    test(`${what} is refused, not ignored`, async () => {
      const answer = await callTool(world, demo, 'read_teaching', given, { token: reader })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).toMatch(/The arguments do not fit[\s\S]*input/)
    })
  }

  test('gets the list of actions for an unknown one', async () => {
    const answer = await callTool(
      world,
      demo,
      'read_teaching',
      { action: 'courses.explode' },
      { token: reader },
    )
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain('courses.list')
  })

  verifies(
    ['mcp.step-up.signed-in', 'mcp.step-up.all-scopes', 'mcp.scope-checked-where-run'],
    'without the scope an action is 403 and names its scopes; nothing is written',
    async () => {
      const given = { action: 'courses.create', input: { slug: 'never', title: 'Never' } }
      const call = request('tools/call', { name: 'change_teaching', arguments: given })
      const answer = await post(world, demo, call, { token: reader })
      expect(answer.statusCode).toBe(403)
      expect(answer.headers['www-authenticate']).toContain('scope="courses:read courses:write"')
      const found = await demo.db.from('courses').select('id').where('slug', '=', 'never').execute()
      expect(found).toEqual([])
    },
  )

  verifies(
    'mcp.step-up.all-scopes',
    'scopes that the input makes necessary are checked too',
    async () => {
      const token = await tokenFor('orders:read')
      const given = { action: 'orders.list', input: { limit: 1, expand: ['member'] } }
      const call = request('tools/call', { name: 'read_sales', arguments: given })
      const answer = await post(world, demo, call, { token })
      expect(answer.statusCode).toBe(403)
      expect(answer.headers['www-authenticate']).toContain('scope="members:read orders:read"')
      const anonymous = await post(world, demo, call)
      expect(anonymous.headers['www-authenticate']).toContain('scope="members:read orders:read"')
    },
  )

  verifies(
    'mcp.step-up.anonymous',
    'without a token an action is 401, known or unknown',
    async () => {
      for (const action of ['courses.create', 'courses.explode', 7, undefined]) {
        const call = request('tools/call', { name: 'change_teaching', arguments: { action } })
        const answer = await post(world, demo, call)
        expect(answer.statusCode).toBe(401)
        const header = answer.headers['www-authenticate']
        expect(header).toContain('resource_metadata=')
        // A client requests the scopes of the challenge; without any it could not start a login.
        expect(header).toMatch(/scope="[^"]*courses:write/)
      }
    },
  )

  test('a member token cannot use them, with any role', async () => {
    const member = await demoToken(world, demo, 'owner@demo.test', 'account:read')
    expect(await toolNames(world, demo, { token: member })).not.toContain('read_teaching')
    const call = request('tools/call', {
      name: 'read_teaching',
      arguments: { action: 'courses.list' },
    })
    expect((await post(world, demo, call, { token: member })).statusCode).toBe(403)
  })
})

describe('with every operator scope', async () => {
  const all = await tokenFor(SCOPES_OF_AUDIENCE.operator.toString())
  const tools = await listed(all)
  const actionsOf = (prefix: string) =>
    tools
      .filter(({ name }) => name.startsWith(prefix))
      .flatMap(({ name, inputSchema }) =>
        inputSchema.properties.action.enum.map((action) => [name, action] as const),
      )

  test('there are a dozen tools, and each action is in exactly one', () => {
    const coarse = tools.filter(({ name }) => /^(read|change)_/.test(name))
    expect(coarse).toHaveLength(12)
    const actions = [...actionsOf('read_'), ...actionsOf('change_')].map(([, action]) => action)
    expect(new Set(actions).size).toBe(actions.length)
    expect(actions.length).toBeGreaterThan(80)
    expect(JSON.stringify(coarse).length).toBeLessThan(80_000)
  })

  test('every operation of the REST API is an action', () => {
    const actions = new Set(
      [...actionsOf('read_'), ...actionsOf('change_')].map(([, name]) => name),
    )
    const without = ROUTES.map(({ operation }) => operation.name).filter((op) => !actions.has(op))
    // enrollments.list has the same data, and a model does not read bytes of files.
    expect(without.filter((op) => !/^(students\.enrollments|files\..*)$/.test(op))).toEqual([])
  })

  for (const { name, annotations, description } of tools) {
    test(`${name} is described, with its hints`, () => {
      const reads = annotations.readOnlyHint
      expect(Object.keys(annotations).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
        'title',
      ])
      expect(description).toMatch(reads ? /Reads only/ : /at once/)
      // Some clients refuse a description with more than 1024 characters.
      expect(description.length).toBeLessThanOrEqual(1024)
    })
  }

  for (const [tool, action] of actionsOf('read_').filter(([, name]) => name.endsWith('.list'))) {
    verifies('mcp.operator', `${action} gives the same objects as the REST API`, async () => {
      const given = await parentOf(action, all)
      const { result } = await act(tool, action, { limit: 3, ...given }, all)
      const data = result.data as { id: string }[]
      expect(data.length).toBeGreaterThan(0)
      const reading = action.replace(/list$/, 'read')
      const one = await act(tool, reading, { id: data[0]?.id }, all)
      const rest = await world.app.inject({
        url: new URL(String(one.restUrl)).pathname,
        headers: { host: new URL(demo.origin).host, authorization: `Bearer ${all}` },
      })
      expect(rest.statusCode).toBe(200)
      expect(one.result).toEqual(rest.json())
    })
  }

  verifies('mcp.operator', 'objects without a list have links too', async () => {
    const [course] = (await act('read_teaching', 'courses.list', { limit: 1 }, all)).result
      .data as { id: string }[]
    const [enrollment] = (await act('read_people', 'enrollments.list', { limit: 1 }, all)).result
      .data as { id: string }[]
    for (const [tool, action, input] of [
      ['read_school', 'school.read', {}],
      ['read_school', 'appearance.read', {}],
      ['read_teaching', 'curriculum.read', { id: course?.id }],
      ['read_people', 'enrollments.progress', { id: enrollment?.id }],
    ] as const) {
      const one = await act(tool, action, input, all)
      const rest = await world.app.inject({
        url: new URL(String(one.restUrl)).pathname,
        headers: { host: new URL(demo.origin).host, authorization: `Bearer ${all}` },
      })
      expect(one.result, action).toEqual(rest.json())
    }
  })

  const spring = { from: '2026-03-01', to: '2026-06-01' }
  for (const [action, input] of Object.entries({
    'school.read': {},
    'appearance.read': {},
    'analytics.revenue': spring,
    'analytics.enrollments': spring,
    'analytics.active_learners': spring,
    'analytics.completion': {},
  })) {
    verifies('mcp.operator', `${action} returns data of the whole school`, async () => {
      const { result } = await act('read_school', action, input, all)
      expect(result.object).toBeTypeOf('string')
    })
  }
})

/** The id of the parent, for lists that need it. */
async function parentOf(action: string, token: string): Promise<object> {
  if (action !== 'lectures.list' && action !== 'sections.list') return {}
  const courses = { slug: 'practical-typescript' }
  const { result } = await act('read_teaching', 'courses.list', courses, token)
  const [course] = result.data as { id: string }[]
  if (action === 'sections.list') return { course_id: course?.id }
  const curriculum = await act('read_teaching', 'curriculum.read', { id: course?.id }, token)
  const [section] = curriculum.result.sections as { id: string }[]
  return { section_id: section?.id }
}
