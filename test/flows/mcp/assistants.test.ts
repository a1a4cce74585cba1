import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, describe, expect } from 'vitest'
import type { Assistant } from '../../../src/domain/clients/assistants.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aListeningSchool } from '../../support/listening-school.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { aWorld } from '../../support/world.ts'
import { expireAccessTokens } from './consent.ts'
import { StoringProvider } from './oauth-provider.ts'

const world = await aWorld()
const school = await aListeningSchool(world, { mcpConnections: true })
const owner = await anOwner(world, school)
const ada = await world.aMember(school)
const opened: Client[] = []
afterAll(() => Promise.all(opened.map((client) => client.close())))

/** Sends the form for an assistant as the template filled it in. */
async function connectAssistant(assistant: Assistant): Promise<string> {
  const path = `/admin/developers/assistants/${assistant}`
  const { body } = await owner.get(path)
  const field = (pattern: RegExp) => pattern.exec(body)?.[1] ?? ''
  const scopes = [...body.matchAll(/<input [^>]*name="scopes" value="([^"]*)" checked[^>]*>/g)]
  const made = await submit(owner, path, path, [
    ['name', field(/<input [^>]*id="name"[^>]*value="([^"]*)"/)],
    ['redirect_uris', field(/<textarea id="redirect_uris"[^>]*>([^<]*)</)],
    ...scopes.map(([, scope = '']): [string, string] => ['scopes', scope]),
  ])
  const page = new URL(String(made.headers.location), school.origin)
  expect(page.searchParams.get('done')).toBe('connected')
  return decodeURIComponent(page.pathname.split('/').at(-1) ?? '')
}

/** What the member copies from the page. */
async function copied(id: string): Promise<string> {
  const { body } = await (await signedIn(world, school, ada)).get('/account/assistants')
  return new RegExp(`<pre [^>]*id="${id}"[^>]*><code>([^<]*)<`).exec(body)?.[1] ?? ''
}

async function connect(address: string, provider: StoringProvider) {
  const client = new Client({ name: 'an assistant', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider })
  await client.connect(transport)
  opened.push(client)
  return { client, transport }
}

describe('from the template to a call', () => {
  for (const [assistant, redirectUrl] of [
    ['claude', 'https://claude.ai/api/mcp/auth_callback'],
    ['mcp-remote', 'http://localhost:3334/oauth/callback'],
  ] as const) {
    verifies(
      ['assistants.template', 'assistants.page', 'assistants.works'],
      `${assistant}: an owner connects it, a member copies address and client_id, and it signs in, calls a tool and refreshes`,
      async () => {
        const made = await connectAssistant(assistant)
        const address = await copied('address')
        const clientId = await copied(`app-${made}-client`)
        expect(address).toBe(`${school.origin}/mcp/member`)
        expect(clientId).toBe(made)

        const provider = new StoringProvider({
          clientId,
          clientName: 'an assistant',
          issuer: school.origin,
          redirectUrl,
        })
        const first = await connect(address, provider)
        const call = { name: 'my_account', arguments: {} }
        await expect(first.client.callTool(call)).rejects.toThrow(UnauthorizedError)
        const { pathname, search } = provider.takeOpened()
        const visitor = new Visitor(world, school)
        const signIn = await visitor.follow(await visitor.get(pathname + search))
        const consent = await visitor.follow(await visitor.signIn(signIn, ada))
        const { location } = (await visitor.decide(consent, 'allow')).headers
        const callback = new URL(String(location))
        expect(callback.href.startsWith(`${redirectUrl}?`)).toBe(true)
        await first.transport.finishAuth(callback.searchParams)

        const second = await connect(address, provider)
        expect((await second.client.callTool(call)).structuredContent).toMatchObject({
          email: ada.email,
        })
        const stale = provider.tokens()?.access_token
        await expireAccessTokens(world)
        const again = await second.client.callTool({ name: 'my_courses', arguments: {} })
        expect(again.structuredContent).toHaveProperty('courses')
        expect(provider.tokens()?.access_token).not.toBe(stale)
      },
    )
  }
})
