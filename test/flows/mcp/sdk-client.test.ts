import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { afterAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { consent, expireAccessTokens } from './consent.ts'
import { StoringProvider } from './oauth-provider.ts'
import { demoSchoolsAt } from './tool-endpoint.ts'

const world = await aDemoWorld()
const address = await world.app.listen({ port: 0, host: '127.0.0.1' })
const schoolOf = await demoSchoolsAt(world, Number(new URL(address).port))
const demo = await schoolOf('demo')
const opened: Client[] = []
afterAll(() => Promise.all(opened.map((client) => client.close())))

interface Connection {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
}

async function connect(
  mode: VersionNegotiationMode,
  provider?: StoringProvider,
): Promise<Connection> {
  const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(
    new URL(`${demo.origin}/mcp`),
    provider === undefined ? {} : { authProvider: provider },
  )
  await client.connect(transport)
  opened.push(client)
  return { client, transport }
}

const names = async ({ client }: Connection): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

for (const [era, mode] of [
  ['handshake', 'legacy'],
  ['modern', { pin: '2026-07-28' }],
  ['whichever the server prefers', 'auto'],
] as const) {
  describe(`the official SDK client, era: ${era}`, () => {
    verifies(
      ['mcp.anonymous', 'mcp.revision.modern', 'mcp.revision.older'],
      `${era}: connects without a token, lists and calls public tools`,
      async () => {
        const connection = await connect(mode)
        expect(await names(connection)).toContain('sign_in')
        const result = await connection.client.callTool({
          name: 'list_courses',
          arguments: { limit: 3 },
        })
        expect(result.structuredContent).toHaveProperty('courses')
      },
    )

    verifies(
      ['mcp.sign-in.challenges', 'mcp.user-bound-token', 'mcp.member-token'],
      `${era}: from sign_in through discovery and consent to a member's call, a step-up and a refresh`,
      async () => {
        const provider = new StoringProvider({
          clientId: demo.publicClient.clientId,
          clientName: 'Demo',
          issuer: demo.origin,
        })
        const first = await connect(mode, provider)
        await expect(
          first.client.callTool({ name: 'sign_in', arguments: { as: 'member' } }),
        ).rejects.toThrow(UnauthorizedError)
        await first.transport.finishAuth(
          await consent(world, demo, provider.takeOpened(), 'ada@demo.test'),
        )

        const second = await connect(mode, provider)
        expect(await names(second)).toContain('my_payments')
        const account = await second.client.callTool({ name: 'my_account', arguments: {} })
        expect(account.structuredContent).toMatchObject({ email: 'ada@demo.test' })

        await expect(
          second.client.callTool({ name: 'mark_all_notifications_read', arguments: {} }),
        ).rejects.toThrow(UnauthorizedError)
        await second.transport.finishAuth(
          await consent(world, demo, provider.takeOpened(), 'ada@demo.test'),
        )
        expect(provider.tokens()?.scope).toContain('account:write')
        const third = await connect(mode, provider)
        const marked = await third.client.callTool({
          name: 'mark_all_notifications_read',
          arguments: {},
        })
        expect(marked.structuredContent).toMatchObject({ unreadNotificationCount: 0 })

        const stale = provider.tokens()?.access_token
        await expireAccessTokens(world)
        const refreshed = await third.client.callTool({ name: 'my_courses', arguments: {} })
        expect(refreshed.structuredContent).toHaveProperty('courses')
        expect(provider.tokens()?.access_token).not.toBe(stale)
      },
    )
  })
}

verifies(
  ['mcp.operator', 'mcp.sign-in.roles'],
  'the client of a vendor registers by its name, and an owner authorizes it to read and then to write',
  async () => {
    const provider = new StoringProvider({ clientName: 'Claude', issuer: demo.origin })
    const first = await connect('auto', provider)
    const signIn = { name: 'sign_in', arguments: { as: 'operator' } }
    await expect(first.client.callTool(signIn)).rejects.toThrow(UnauthorizedError)
    await first.transport.finishAuth(
      await consent(world, demo, provider.takeOpened(), 'owner@demo.test'),
    )

    const second = await connect('auto', provider)
    const list = { action: 'orders.list', input: { limit: 2 } }
    const orders = await second.client.callTool({ name: 'read_sales', arguments: list })
    expect(orders.structuredContent).toMatchObject({ result: { object: 'list' } })

    const draft = { action: 'posts.create', input: { slug: 'by-a-client', title: 'By a client' } }
    const write = { name: 'change_publishing', arguments: draft }
    await expect(second.client.callTool(write)).rejects.toThrow(UnauthorizedError)
    await second.transport.finishAuth(
      await consent(world, demo, provider.takeOpened(), 'owner@demo.test'),
    )
    expect(provider.tokens()?.scope).toContain('orders:read')
    const third = await connect('auto', provider)
    const made = await third.client.callTool(write)
    expect(made.structuredContent).toMatchObject({ result: { object: 'post', state: 'draft' } })
  },
)

test('every answer matches the schema of its tool', async () => {
  // The client throws if a structured answer does not match the declared schema.
  const { client } = await connect('auto')
  const { tools } = await client.listTools()
  for (const { name } of tools.filter((tool) => tool.name !== 'sign_in')) {
    const given = { search: { query: 'a' }, fetch: { id: 'page:terms' } }[name]
    const slug = name === 'get_course' ? { slug: 'practical-typescript' } : {}
    const result = await client.callTool({ name, arguments: { ...given, ...slug } })
    expect(result.isError, name).not.toBe(true)
    expect(JSON.parse(String(Reflect.get(Object(result.content), 0)?.text))).toEqual(
      result.structuredContent,
    )
  }
})
