import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { UnauthorizedError as FirstUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { expireAccessTokens } from '../flows/mcp/consent.ts'
import { StoringProvider } from '../flows/mcp/oauth-provider.ts'
import { DEMO_PASSWORD, demoSchoolsAt } from '../flows/mcp/tool-endpoint.ts'
import { verifies } from '../spec/verifies.ts'
import { launchBrowser } from '../support/browser.ts'
import { aDemoWorld } from '../support/demo-database.ts'

const world = await aDemoWorld({ loopbackDocuments: true, documentHosts: ['127.0.0.1'] })
const address = await world.app.listen({ port: 0, host: '127.0.0.1' })
const schoolOf = await demoSchoolsAt(world, Number(new URL(address).port))
const demo = await schoolOf('demo')

let browser: Browser
/** The site of the application: its metadata document, and the callback page. */
let site: Server
let siteOrigin: string

beforeAll(async () => {
  site = createServer((request, response) => {
    const isDocument = request.url === '/client.json'
    response.setHeader('content-type', isDocument ? 'application/json' : 'text/html')
    response.end(isDocument ? JSON.stringify(metadata()) : '<title>App</title><h1>Back</h1>')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  site?.closeAllConnections()
  site?.close()
})

function metadata(): object {
  return {
    client_id: `${siteOrigin}/client.json`,
    client_name: 'A tool of ours',
    redirect_uris: [`${siteOrigin}/callback`],
    token_endpoint_auth_method: 'none',
  }
}

interface Connected {
  readonly client: Pick<Client, 'close'> & {
    callTool(call: { name: string; arguments: object }): Promise<object>
    listTools(): Promise<{ tools: { name: string }[] }>
  }
  finishAuth(callback: URLSearchParams): Promise<void>
}

const endpoint = () => new URL(`${demo.origin}/mcp`)

async function connect(authProvider: StoringProvider): Promise<Connected> {
  const client = new Client(
    { name: 'a test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  const transport = new StreamableHTTPClientTransport(endpoint(), { authProvider })
  await client.connect(transport)
  return { client, finishAuth: (callback) => transport.finishAuth(callback) } as Connected
}

async function connectFirst(authProvider: StoringProvider): Promise<Connected> {
  const client = new FirstClient({ name: 'a test', version: '1' })
  const transport = new FirstTransport(endpoint(), { authProvider })
  // The class of the SDK declares `string | undefined` where its interface declares an optional
  // member.
  await client.connect(transport as Transport)
  const finishAuth = (callback: URLSearchParams) =>
    transport.finishAuth(String(callback.get('code')))
  return { client, finishAuth } as Connected
}

/**
 * Connects anonymously, signs in as an owner in a browser, calls an operator tool and refreshes.
 */
async function connectAsOwner(
  open: (provider: StoringProvider) => Promise<Connected>,
  Unauthorized: new (message?: string) => Error,
): Promise<void> {
  const provider = new StoringProvider({
    clientId: `${siteOrigin}/client.json`,
    clientName: 'A tool of ours',
    issuer: demo.origin,
    redirectUrl: `${siteOrigin}/callback`,
  })
  const anonymous = await open(provider)
  await expect(
    anonymous.client.callTool({ name: 'sign_in', arguments: { as: 'operator' } }),
  ).rejects.toThrow(Unauthorized)

  const person = await browser.newContext()
  const page = await person.newPage()
  await page.goto(provider.takeOpened().href)
  await page.fill('input[name=email]', 'owner@demo.test')
  await page.fill('input[name=password]', DEMO_PASSWORD)
  await page.click('form[action="/sign-in"] button')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${siteOrigin}/callback?**`)
  await anonymous.finishAuth(new URL(page.url()).searchParams)
  await person.close()

  const { client } = await open(provider)
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toContain('read_teaching')
  expect(names).not.toContain('change_teaching')
  const call = { name: 'read_teaching', arguments: { action: 'courses.list', input: {} } }
  expect(await client.callTool(call)).toMatchObject({
    structuredContent: { result: { object: 'list' } },
  })

  const before = provider.tokens()?.access_token
  await expireAccessTokens(world)
  expect(await client.callTool(call)).not.toHaveProperty('isError', true)
  expect(provider.tokens()?.access_token).not.toBe(before)
  await Promise.all([client.close(), anonymous.client.close()])
}

verifies(
  ['mcp.operator', 'mcp.sign-in.challenges', 'mcp.sign-in.roles', 'mcp.user-bound-token'],
  'an owner authorizes an app with a metadata document in a real browser, and it still reads after a refresh',
  () => connectAsOwner(connect, UnauthorizedError),
)

verifies(
  ['mcp.operator', 'cimd.url-as-client-id'],
  'the same with the first version of the client',
  () => connectAsOwner(connectFirst, FirstUnauthorizedError),
)
