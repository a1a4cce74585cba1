import { expect } from 'vitest'
import { createApplication } from '../../../src/domain/clients/application-operations.ts'
import { UNREVIEWED_SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { fillPlatforms } from '../../../src/domain/clients/vendor-platforms.ts'
import { TOOL_ENDPOINTS } from '../../../src/foundation/protocol/resource-names.ts'
import {
  type Assistant,
  type Connection,
  MEMBER_SCOPES,
  type Role,
} from '../../fixtures/assistants/assistant.ts'
import { assistantsAt } from '../../fixtures/assistants/assistants.ts'
import { verifies } from '../../spec/verifies.ts'
import { outputOf, performByCommandLine } from '../../support/performing.ts'
import { aTool } from '../../support/tools.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'
import { expireAccessTokens, storeDocument } from '../mcp/consent.ts'
import { discover } from './discover.ts'
import { identify, type Login, logIn, Refused, refreshAs } from './sign-in.ts'
import { TOOLS, ToolSession } from './use-tools.ts'
import { Wire } from './wire.ts'

const world = await aWorld()
// As the start of a server does.
await fillPlatforms(world.database.db)
const HOSTS = ['claude.ai', 'chatgpt.com', 'vscode.dev', 'github.com']
const permitting = await world.aSchool({ documentHosts: HOSTS })
const plain = await world.aSchool()
const choosy = await world.aSchool({ documentHosts: ['apps.example'] })
const schools = [
  [permitting, true],
  [plain, false],
  [choosy, 'of other hosts'],
] as const

const people = new Map<TestSchool, Record<Role, Awaited<ReturnType<typeof world.aMember>>>>()
for (const [school] of schools) {
  const operator = await world.aMember(school, ['owner'])
  people.set(school, { operator, member: await world.aMember(school) })
}

const stored = new Set<string>()
let tools = 0

/**
 * What the school does first: it makes a client, or it has read the document before. Returns the
 * client_id to enter.
 */
async function prepare(
  school: TestSchool,
  role: Role,
  { client }: Connection,
): Promise<string | undefined> {
  if (client.by === 'document' && !stored.has(client.document.client_id)) {
    stored.add(client.document.client_id)
    await storeDocument(world, client.document)
  }
  if (client.by !== 'entry') return undefined
  const redirectUris = [...client.redirectUris]
  if (role === 'member') {
    const made = await performByCommandLine(school, createApplication, {
      name: 'An assistant',
      redirect_uris: redirectUris,
      scopes: [...MEMBER_SCOPES],
      confidential: false,
    })
    return outputOf(made).client_id
  }
  const scopes = [...UNREVIEWED_SCOPES, 'courses:write']
  const slug = `tool-${++tools}`
  return (await aTool(world, school, { slug, redirect_uris: redirectUris, scopes })).clientId
}

/**
 * From the address that a person entered to a tool that needs the login, and on after the token has
 * expired.
 */
async function connect(
  school: TestSchool,
  assistant: Assistant,
  role: Role,
  connection: Connection,
): Promise<void> {
  const wire = new Wire(world, school)
  const address = school.origin + TOOL_ENDPOINTS[role]
  const person = people.get(school)?.[role]
  if (person === undefined) throw new Error('a school without people')
  const entered = await prepare(school, role, connection)
  const session = new ToolSession(wire, address, assistant)
  expect(await session.open()).toContain('sign_in')

  const found = await discover(wire, assistant, address, role)
  const stage = { world, school, wire }
  const signIn = async (scopes: Connection['scopes']): Promise<Login> => {
    const clientId = await identify(wire, connection, found, entered)
    return await logIn(stage, person, assistant, connection, found, clientId, scopes)
  }
  const { refused, retries, scopes } = connection
  if (refused !== undefined) {
    const refusal = await signIn(scopes).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Refused)
    expect(refusal).toMatchObject({ step: refused.step })
    expect((refusal as Refused).message).toMatch(refused.words)
    if (retries !== true) return
  }
  const login = await signIn(retries === true ? 'resource' : scopes)

  const tool = TOOLS[role]
  const names = await session.open(login.pair.access_token)
  expect(names).toContain(tool.name)
  expect(names).not.toContain('sign_in')
  expect((await session.call(tool)).json().result).toMatchObject({ structuredContent: {} })

  await expireAccessTokens(world)
  const stale = await session.call(tool)
  expect(stale.statusCode).toBe(401)
  expect(stale.headers['www-authenticate']).toContain(
    `resource_metadata="${school.origin}/.well-known/oauth-protected-resource${TOOL_ENDPOINTS[role]}"`,
  )
  const renewed = await refreshAs(wire, assistant, found, login)
  expect(renewed.scope).toBe(login.pair.scope)
  await session.open(renewed.access_token)
  expect((await session.call(tool)).json().result.isError).toBeUndefined()
  await session.close()
}

for (const [school, permits] of schools) {
  for (const assistant of assistantsAt(school.origin)) {
    for (const role of ['operator', 'member'] as const) {
      const connections = assistant[role].filter(({ documents }) => documents === permits)
      for (const connection of connections) {
        verifies(
          ['assistants.connect', 'assistants.refused-in-words'],
          `${assistant.name} of ${role === 'operator' ? 'an owner' : 'a student'}, ${connection.how}: ${connection.refused === undefined ? 'connects' : 'reads why not'}`,
          () => connect(school, assistant, role, connection),
        )
      }
    }
  }
}
