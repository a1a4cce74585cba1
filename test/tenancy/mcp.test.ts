import { describe, expect, test } from 'vitest'
import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import { ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import {
  callTool,
  type DemoSchool,
  demoPerson,
  demoSchoolsAt,
  demoToken,
  post,
  type Rpc,
  request,
  useTool,
} from '../flows/mcp/tool-endpoint.ts'
import { anOperator } from '../support/admin-api.ts'
import { aDemoWorld } from '../support/demo-database.ts'
import { addExamples, everyRow } from '../support/example-school.ts'
import { aWorld, type TestSchool, type World } from '../support/world.ts'

interface Listed {
  readonly name: string
  readonly annotations: { readonly readOnlyHint: boolean }
  readonly inputSchema: { readonly properties: { readonly action?: { readonly enum: string[] } } }
}

async function listTools(world: World, school: TestSchool, token?: string): Promise<Listed[]> {
  const answer = await post(world, school, request('tools/list'), { token })
  return answer.json<Rpc<{ tools: Listed[] }>>().result?.tools ?? []
}

describe('an operator who names the ids of another school', async () => {
  const world = await aWorld()
  const theirs = await world.aSchool()
  await addExamples(world, theirs)
  const { school, accessToken: token } = await anOperator(world, await world.aSchool())
  const ids = Object.values(EXAMPLE) as string[]
  const namesTheirs = (input: object): boolean =>
    ids.some((id) => JSON.stringify(input).includes(id))

  test('finds nothing and changes nothing, by any action', async () => {
    const before = await everyRow(theirs)
    const examples = new Map(ROUTES.map(({ operation }) => [operation.name, operation.examples]))
    let tried = 0
    for (const { name, inputSchema } of await listTools(world, school, token)) {
      for (const action of inputSchema.properties.action?.enum ?? []) {
        for (const { input } of examples.get(action) ?? []) {
          if (!namesTheirs(input)) continue
          tried += 1
          const answer = await callTool(world, school, name, { action, input }, { token })
          const result = answer.structuredContent?.result as { data?: unknown } | undefined
          if (answer.isError === true) expect(answer.content[0]?.text).toMatch(/^Nothing was done/)
          else expect(result?.data, `${action}: ${JSON.stringify(answer)}`).toEqual([])
        }
      }
    }
    expect(tried).toBeGreaterThan(50)
    expect(await everyRow(theirs)).toBe(before)
  })
})

describe('a member of two schools', async () => {
  const world = await aDemoWorld()
  const schoolOf = await demoSchoolsAt(world)
  const [here, there] = [await schoolOf('demo'), await schoolOf('harbor')]
  const ada = await demoPerson(world, 'ada@demo.test')
  const scope = 'account:read account:write'
  const tokens = new Map<DemoSchool, string>()
  for (const school of [here, there]) {
    tokens.set(school, await demoToken(world, school, ada.email, scope))
  }

  /** All answers of the tools at one school, in one text. */
  async function readEverything(school: DemoSchool): Promise<string> {
    const token = tokens.get(school)
    const told: unknown[] = []
    for (const { name, annotations } of await listTools(world, school, token)) {
      if (!annotations.readOnlyHint || /^(search|fetch|get_course|my_course)$/.test(name)) continue
      told.push(await useTool(world, school, name, {}, { token }))
    }
    return JSON.stringify(told)
  }

  const uuids = (text: string): Set<string> =>
    new Set(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))

  test('reads the data of each school there, and no data of the other', async () => {
    const [ofHere, ofThere] = [await readEverything(here), await readEverything(there)]
    expect(uuids(ofHere).size).toBeGreaterThan(50)
    expect(uuids(ofThere).size).toBeGreaterThan(10)
    const both = [...uuids(ofHere)].filter((id) => uuids(ofThere).has(id))
    expect(both).toEqual([ada.id])
    expect(ofHere).not.toContain(there.origin)
    expect(ofThere).not.toContain(here.origin)
  })

  test('cannot mark a notification of one school at the other', async () => {
    const inbox = async () =>
      await useTool<{ notifications: { id: string; readAt: string | null }[] }>(
        world,
        there,
        'my_notifications',
        {},
        { token: tokens.get(there) },
      )
    const before = await inbox()
    const unread = before.notifications.find(({ readAt }) => readAt === null)
    const token = tokens.get(here)
    const given = { id: unread?.id }
    const marked = await callTool(world, here, 'mark_notification_read', given, { token })
    expect(marked.isError).toBe(true)
    expect(marked.content[0]?.text).toContain('no such notification')
    await useTool(world, here, 'mark_all_notifications_read', {}, { token })
    expect(await inbox()).toEqual(before)
  })
})
