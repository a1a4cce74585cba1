import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { launchBrowser } from '../../support/browser.ts'
import { aWorld } from '../../support/world.ts'
import { expireAccessTokens } from './consent.ts'
import { StoringProvider } from './oauth-provider.ts'
import { DEMO_PASSWORD, furnishDemoWorld } from './tool-endpoint.ts'

const world = await aWorld({ loopbackDocuments: true, documentHosts: ['127.0.0.1'] })
const address = await world.app.listen({ port: 0, host: '127.0.0.1' })
const schoolOf = await furnishDemoWorld(world, Number(new URL(address).port))
const demo = await schoolOf('demo')

let browser: Browser
/** The application's own site: its metadata document, and the page people come back to. */
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
}, 60_000)

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

async function connect(provider: StoringProvider) {
  const client = new Client(
    { name: 'a test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${demo.origin}/mcp`), {
    authProvider: provider,
  })
  await client.connect(transport)
  return { client, transport }
}

verifies(
  ['mcp.operator', 'mcp.sign-in.challenges', 'mcp.sign-in.roles', 'mcp.user-bound-token'],
  'an owner lets an app in that came with a metadata document, in a real browser, and it reads on after a refresh',
  async () => {
    const provider = new StoringProvider({
      clientId: `${siteOrigin}/client.json`,
      clientName: 'A tool of ours',
      issuer: demo.origin,
      redirectUrl: `${siteOrigin}/callback`,
    })
    const anonymous = await connect(provider)
    await expect(
      anonymous.client.callTool({ name: 'sign_in', arguments: { as: 'operator' } }),
    ).rejects.toThrow(UnauthorizedError)

    const page = await browser.newPage()
    await page.goto(provider.takeOpened().href)
    await page.fill('input[name=email]', 'owner@demo.test')
    await page.fill('input[name=password]', DEMO_PASSWORD)
    await page.click('form[action="/sign-in"] button')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${siteOrigin}/callback?**`)
    await anonymous.transport.finishAuth(new URL(page.url()).searchParams)

    const { client } = await connect(provider)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('read_teaching')
    expect(names).not.toContain('change_teaching')
    const call = { name: 'read_teaching', arguments: { action: 'courses.list', input: {} } }
    const read = await client.callTool(call)
    expect(read.structuredContent).toMatchObject({ result: { object: 'list' } })

    const before = provider.tokens()?.access_token
    await expireAccessTokens(world)
    expect((await client.callTool(call)).isError).not.toBe(true)
    expect(provider.tokens()?.access_token).not.toBe(before)
    await Promise.all([client.close(), anonymous.client.close()])
  },
  60_000,
)
