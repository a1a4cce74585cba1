import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { parseTrustProxy } from '../../../src/foundation/http/client-address.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { injected } from '../../support/injected-fetch.ts'
import { aTool } from '../../support/tools.ts'
import { aWorld, World } from '../../support/world.ts'
import { StoringProvider } from './oauth-provider.ts'

/** The SDK takes only https URLs as client ids, so the school is behind a proxy that serves TLS. */
const behind = await aWorld({ trust: parseTrustProxy('loopback') })
const proxy = {
  inject: (options: InjectOptions) => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': options.headers?.host }
    return behind.app.inject({ ...options, headers: { ...options.headers, ...forwarded } })
  },
} as unknown as FastifyInstance
const world = new World(proxy, behind.database, behind.context)

const plain = await world.aSchool()
const origin = plain.origin.replace('http:', 'https:')
await world.database.db.updateTable('schools').set({ origin }).where('id', '=', plain.id).execute()
const school = { ...plain, origin }
const owner = await world.aMember(school, ['owner'])

async function connect(provider: StoringProvider) {
  const client = new Client({ name: 'a tool of the school', version: '1' })
  const send = injected(world)
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    authProvider: provider,
    fetch: (url, init) => send(new Request(url, init)),
  })
  // The class of the SDK declares `string | undefined` where its interface declares an optional
  // member.
  await client.connect(transport as Transport)
  return { client, transport }
}

verifies(
  ['tool.flow.operators', 'tool.advertised', 'mcp.operator'],
  'the client of the MCP SDK connects as a tool of the school, by the URL of its document',
  async () => {
    const { clientId } = await aTool(world, school, {
      redirect_uris: ['http://localhost/oauth/callback'],
      scopes: ['openid', 'profile', 'email', 'courses:read', 'courses:write'],
    })
    const provider = new StoringProvider({
      clientMetadataUrl: clientId,
      clientName: 'a name that no server knows',
      issuer: origin,
      redirectUrl: 'http://localhost:3334/oauth/callback',
    })
    const first = await connect(provider)
    const read = { action: 'courses.list', input: { limit: 2 } }
    const call = { name: 'read_teaching', arguments: read }
    await expect(first.client.callTool(call)).rejects.toThrow(UnauthorizedError)
    expect(provider.clientInformation()?.client_id).toBe(clientId)
    const { pathname, search } = provider.takeOpened()
    const visitor = new Visitor(world, school)
    const signIn = await visitor.follow(await visitor.get(pathname + search))
    const consent = await visitor.follow(await visitor.signIn(signIn, owner))
    const { location } = (await visitor.decide(consent, 'allow')).headers
    const callback = new URL(String(location))
    expect(callback.origin).toBe('http://localhost:3334')
    await first.transport.finishAuth(callback.searchParams.get('code') ?? '')

    const { client } = await connect(provider)
    expect((await client.callTool(call)).structuredContent).toMatchObject({
      result: { object: 'list' },
    })
    await client.close()
    await first.client.close()
  },
)
