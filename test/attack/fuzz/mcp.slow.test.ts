import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MODERN, post } from '../../flows/mcp/tool-endpoint.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()

const name = fc.constantFrom(
  'sign_in',
  'search',
  'fetch',
  'list_courses',
  'get_course',
  'my_payments',
  'mark_notification_read',
  'read_teaching',
  'change_people',
  'constructor',
  '__proto__',
  '',
)
const anything = fc.jsonValue({ maxDepth: 4 })
const given = fc.oneof(
  anything,
  fc.record({ query: anything, id: anything, slug: anything, cursor: anything }),
  fc.record({ search: fc.string(), limit: fc.integer({ min: -2, max: 60 }), cursor: fc.string() }),
  fc.record({ action: fc.constantFrom('courses.list', 'toString', 'x'), input: anything }),
  fc.record({ id: fc.string(), max_characters: fc.integer({ min: -1, max: 200_001 }) }),
)
const meta = fc.constantFrom(
  {},
  {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
  { _meta: 7 },
)
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0'),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'server/discover', 'x'),
    params: fc
      .tuple(fc.record({ name, arguments: given }, { requiredKeys: [] }), meta)
      .map(([params, extra]) => ({ ...params, ...extra })),
  },
  { requiredKeys: ['method'] },
)
const headers = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom(MODERN, '2025-06-18', '1'),
    'mcp-method': fc.constantFrom('tools/call', 'tools/list'),
    'mcp-name': name,
  },
  { requiredKeys: [] },
)

const path = fc.constantFrom('/mcp', '/mcp/', '/mcp/member', '/mcp/member/')

test('any request without a token gets an answer or a 4xx, and reads no personal data', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, anything), headers, path, async (body, sent, path) => {
      const statements = await world.database.statementsOf(async () => {
        const answer = await post(world, school, body, { headers: sent, path })
        expect(answer.statusCode).toBeLessThan(500)
        expect(answer.body).not.toMatch(/"code":-32603|fault on its side|node_modules|\.ts:\d/)
      })
      expect(statements.filter((text) => /payments|notifications|enrollments/.test(text))).toEqual(
        [],
      )
    }),
    { numRuns: 300 },
  )
})

for (const [where, around] of Object.entries({
  'in arguments': ['"method":"tools/call","params":{"name":"get_school","arguments":{"a":', '}}'],
  'of operators': [
    '"method":"tools/call","params":{"name":"change_school","arguments":{"a":',
    '}}',
  ],
  'in _meta': ['"method":"tools/list","params":{"_meta":{"a":', '}}'],
  'in params': ['"method":"ping","params":{"a":', '}'],
} as const)) {
  test(`JSON nested deeper than the stack, ${where}, is refused as a mistake of the client`, async () => {
    const depth = 20_000
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const body = `{"jsonrpc":"2.0","id":1,${around[0]}${nested}${around[1]}}`
    const answer = await post(world, school, body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ id: null, error: { code: -32600 } })
    expect(answer.json().error.message).toContain('nested deeper')
  })
}
