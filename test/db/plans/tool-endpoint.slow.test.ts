import { beforeAll, describe, expect, test } from 'vitest'
import { startExportJob } from '../../../src/domain/catalogue/transfer-operations.ts'
import { JOB_ROUTES, ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { callTool, post, type Rpc, request } from '../../flows/mcp/tool-endpoint.ts'
import { anOperator } from '../../support/admin-api.ts'
import { addExamples, clearExamples, publishExamples } from '../../support/example-school.ts'
import { aNotification } from '../../support/inbox.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { aToken } from '../../support/member-api.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import type { TestSchool } from '../../support/world.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()

await addExamples(world, school)
await publishExamples(school)
const ada = await world.aMember(school)
const course = await aCourse(school)
await anEnrollment(school, ada, course)
const notificationId = await aNotification(school, ada)

/** Arguments of the tools that need some. Add a line for each new one. */
const ARGUMENTS: Readonly<Record<string, readonly object[]>> = {
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
  mark_notification_read: [{ id: notificationId }],
  update_notification_subscription: [{ topic: 'courses', channel: 'email', enabled: false }],
}

interface Listed {
  readonly name: string
  readonly inputSchema: {
    readonly properties: {
      readonly search?: unknown
      readonly limit?: unknown
      readonly action?: { readonly enum: readonly string[] }
    }
  }
}

interface Caller {
  readonly at: TestSchool
  readonly token: string | undefined
}

async function toolsFor({ at, token }: Caller): Promise<readonly Listed[]> {
  const answer = await post(world, at, request('tools/list'), { token })
  return answer.json<Rpc<{ tools: Listed[] }>>().result?.tools ?? []
}

/** Other names of `/mcp`. */
async function listByOtherNames({ at, token }: Caller): Promise<void> {
  for (const path of ['/mcp/', '/mcp/member', '/mcp/member/']) {
    const answer = await post(world, at, request('tools/list'), { token, path })
    expect(answer.statusCode).toBe(200)
  }
}

/** Calls that reach every branch of a tool that depends on its input. */
function callsOf({ name, inputSchema: { properties } }: Listed): readonly object[] {
  return [
    ...(ARGUMENTS[name] ?? [{}]),
    ...('search' in properties ? [{ search: 'first' }] : []),
    ...('limit' in properties ? [{ limit: 1 }] : []),
  ]
}

/** Makes a call that must succeed, and a call for the next page if there is one. */
async function call({ at, token }: Caller, name: string, given: object): Promise<void> {
  const callOnce = async (input: object) => {
    const answer = await callTool(world, at, name, input, { token })
    const message = `${name} ${JSON.stringify(input)}: ${answer.content[0]?.text}`
    expect(answer.isError ?? false, message).toBe(false)
    return answer.structuredContent?.nextCursor
  }
  const cursor = await callOnce(given)
  if (typeof cursor === 'string') await callOnce({ ...given, cursor })
}

async function checkPlans(answered: readonly AnsweredRequest[]): Promise<void> {
  const statements = answered.flatMap((one) => one.statements)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
}

for (const [whom, token, least] of [
  ['strangers', undefined, 9],
  ['members', await aToken(world, school, ada), 20],
] as const) {
  describe(`tools for ${whom}`, () => {
    const caller = { at: school, token }
    const answered: AnsweredRequest[] = []

    beforeAll(async () => {
      answered.push(...(await costs.ofPart('tools/list', () => toolsFor(caller))))
      answered.push(...(await costs.ofPart('tools/list', () => listByOtherNames(caller))))
      const tools = (await toolsFor(caller)).filter(({ name }) => name !== 'sign_in')
      expect(tools.length).toBeGreaterThan(least)
      for (const tool of tools) {
        for (const given of callsOf(tool)) {
          // After this call the outlines of the courses are cached.
          await call(caller, tool.name, given)
          answered.push(...(await costs.ofPart(tool.name, () => call(caller, tool.name, given))))
        }
      }
    })

    test('read no whole table', () => checkPlans(answered))

    testStatements(`Tools for ${whom}`, () => answered)
  })
}

/** What tools for operators do. */
const OPERATIONS = [...[...ROUTES, ...JOB_ROUTES].map(({ operation }) => operation), startExportJob]

describe('tools for operators', () => {
  const answered: AnsweredRequest[] = []

  beforeAll(async () => {
    const at = await world.aSchool()
    const { accessToken: token } = await anOperator(world, at)
    const caller = { at, token }
    const tools = (await toolsFor(caller)).filter(
      ({ inputSchema }) => inputSchema.properties.action !== undefined,
    )
    expect(tools).toHaveLength(13)
    let isReset = false
    for (const { name, inputSchema } of tools) {
      for (const action of inputSchema.properties.action?.enum ?? []) {
        const operation = OPERATIONS.find((one) => one.name === action)
        if (operation === undefined) throw new Error(`${action} has no route`)
        if (!isReset) {
          await clearExamples(at)
          await addExamples(world, at)
        }
        const job = await at.db.from('jobs').select('id').executeTakeFirst()
        const input = /^jobs\.(read|cancel)$/.test(action) ? job : operation.examples[0]?.input
        const given = { action, input }
        const performed = () => call(caller, name, given)
        answered.push(...(await costs.ofPart(`${name} ${action}`, performed)))
        isReset = operation.kind === 'read'
      }
    }
  })

  test('read no whole table', () => checkPlans(answered))

  testStatements('Tools for operators', () => answered)
})
