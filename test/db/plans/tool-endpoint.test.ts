import { describe, expect, test } from 'vitest'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { callTool, post, type Rpc, request } from '../../flows/mcp/tool-endpoint.ts'
import { anOperator } from '../../support/admin-api.ts'
import { furnishExamples, publishExamples } from '../../support/example-school.ts'
import { aNotification } from '../../support/inbox.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { aToken } from '../../support/member-api.ts'
import { wholeReads } from '../../support/plans.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const { connection, statementsOf } = world.database

await furnishExamples(world, school)
await publishExamples(school)
const ada = await world.aMember(school)
const course = await aCourse(school)
await anEnrollment(school, ada, course)
const noted = await aNotification(school, ada)

/** What tools are called with besides nothing; one that needs more has to be added. */
const GIVEN: Readonly<Record<string, readonly object[]>> = {
  search: [{ query: 'first' }],
  fetch: [
    'course:first',
    'event:evening',
    'membership_plan:studio',
    'digital_product:book',
    'post:hello',
    'page:imprint',
  ].map((id) => ({ id })),
  list_events: [{}, { when: 'over' }],
  get_course: [{ slug: 'first' }],
  my_course: [{ slug: course.slug }],
  my_schedule: [{}, { when: 'past' }, { includeCanceled: true }],
  mark_notification_read: [{ id: noted }],
  update_notification_subscription: [{ topic: 'courses', channel: 'email', enabled: false }],
}

interface Listed {
  readonly name: string
  readonly inputSchema: {
    readonly properties: {
      readonly search?: unknown
      readonly cursor?: unknown
      readonly action?: { readonly enum: readonly string[] }
    }
  }
}

async function toolsFor(token: string | undefined): Promise<readonly Listed[]> {
  const answer = await post(world, school, request('tools/list'), { token })
  return answer.json<Rpc<{ tools: Listed[] }>>().result?.tools ?? []
}

/** Calls that reach every way through a tool that its input alone decides. */
function callsOf({ name, inputSchema: { properties } }: Listed): readonly object[] {
  return [
    ...(GIVEN[name] ?? [{}]),
    ...('search' in properties ? [{ search: 'first' }] : []),
    ...('cursor' in properties ? [{ limit: 1 }] : []),
  ]
}

/** What was sent for a call that must succeed, and for the page after it if there is one. */
async function statementsFor(
  token: string | undefined,
  name: string,
  given: object,
): Promise<readonly string[]> {
  const call = async (input: object) => {
    const answer = await callTool(world, school, name, input, { token })
    const told = `${name} ${JSON.stringify(input)}: ${answer.content[0]?.text}`
    expect(answer.isError ?? false, told).toBe(false)
    return answer.structuredContent?.nextCursor
  }
  return await statementsOf(async () => {
    const cursor = await call(given)
    if (typeof cursor === 'string') await call({ ...given, cursor })
  })
}

describe('no tool reads a whole table', async () => {
  const member = await aToken(world, school, ada)
  const operator = await anOperator(world, school)

  for (const [whom, token, least] of [
    ['strangers', undefined, 9],
    ['members', member, 20],
  ] as const) {
    test(`of those for ${whom}`, async () => {
      const tools = (await toolsFor(token)).filter(({ name }) => name !== 'sign_in')
      expect(tools.length).toBeGreaterThan(least)
      const statements: string[] = []
      for (const tool of tools) {
        for (const given of callsOf(tool)) {
          statements.push(...(await statementsFor(token, tool.name, given)))
        }
      }
      expect(await wholeReads(connection, statements)).toEqual(new Map())
    })
  }

  // Each of the others is performed by the tests of the Admin API, and costs a school furnished anew.
  test('of those for operators, whatever is read and the first that is written', async () => {
    const { accessToken } = operator
    const tools = (await toolsFor(accessToken)).filter(
      ({ inputSchema }) => inputSchema.properties.action !== undefined,
    )
    expect(tools).toHaveLength(12)
    const statements: string[] = []
    for (const { name, inputSchema } of tools) {
      const operations = (inputSchema.properties.action?.enum ?? []).flatMap(
        (action) => ROUTES.find((route) => route.operation.name === action)?.operation ?? [],
      )
      const reads = operations.filter(({ kind }) => kind === 'read')
      const performed = reads.length > 0 ? reads : operations.slice(0, 1)
      for (const { name: action, examples } of performed) {
        const given = { action, input: examples[0]?.input }
        statements.push(...(await statementsFor(accessToken, name, given)))
      }
    }
    expect(await wholeReads(connection, statements)).toEqual(new Map())
  })
})
