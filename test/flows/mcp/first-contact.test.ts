import {
  auth as authOfSecond,
  Client as SecondClient,
  StreamableHTTPClientTransport as SecondTransport,
} from '@modelcontextprotocol/client'
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, describe, expect, test } from 'vitest'
import { UNREVIEWED_SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../../spec/verifies.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { consent } from './consent.ts'
import { StoringProvider } from './oauth-provider.ts'
import { demoSchoolsAt } from './tool-endpoint.ts'

/** Clients that authorize before their first call, by what the metadata of the typed URL says. */
const world = await aDemoWorld()
const address = await world.app.listen({ port: 0, host: '127.0.0.1' })
const schoolOf = await demoSchoolsAt(world, Number(new URL(address).port))
const opened: SecondClient[] = []
afterAll(() => Promise.all(opened.map((client) => client.close())))

const demo = await schoolOf('demo')
const authorizers = { first: auth, second: authOfSecond } as const

const ROLES = [
  {
    path: '/mcp',
    email: 'owner@demo.test',
    client: { clientName: 'Claude' },
    scopes: UNREVIEWED_SCOPES.toArray(),
    tool: 'read_teaching',
  },
  {
    path: '/mcp/member',
    email: 'ada@demo.test',
    client: { clientName: 'An app', clientId: demo.publicClient.clientId },
    scopes: ['account:read', 'account:write', 'email', 'openid', 'profile'],
    tool: 'my_courses',
  },
] as const

for (const { path, email, client, scopes, tool } of ROLES) {
  const serverUrl = new URL(demo.origin + path)

  for (const [version, authorize] of Object.entries(authorizers)) {
    verifies(
      ['mcp.metadata.own', 'mcp.two-names', 'authorize.resource.other-names'],
      `${path}: the SDK's ${version} client asks for the listed scopes and gets the tools`,
      async () => {
        const provider = new StoringProvider({ ...client, issuer: demo.origin })
        expect(await authorize(provider, { serverUrl })).toBe('REDIRECT')
        const url = provider.takeOpened()
        expect(url.searchParams.get('resource')).toBe(serverUrl.href)
        expect(url.searchParams.get('scope')?.split(' ').sort()).toEqual([...scopes].sort())

        const callback = await consent(world, demo, url, email)
        const authorizationCode = String(callback.get('code'))
        const iss = String(callback.get('iss'))
        const done = await authorize(provider, { serverUrl, authorizationCode, iss })
        expect(done).toBe('AUTHORIZED')

        const transport = new SecondTransport(serverUrl, { authProvider: provider })
        const connected = new SecondClient({ name: 'a test', version: '1' })
        await connected.connect(transport)
        opened.push(connected)
        const { tools } = await connected.listTools()
        expect(tools.map(({ name }) => name)).toContain(tool)
      },
    )
  }

  describe(`a client that compares resource with the URL as text, at ${path}`, () => {
    /** As gemini-cli, VS Code and others do (RFC 9728 §3.3). */
    async function resourceNamedBy(challenged: Response): Promise<string> {
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(challenged)
      if (resourceMetadataUrl === undefined) throw new Error('the challenge names no metadata')
      const document = await (await fetch(resourceMetadataUrl)).json()
      return String(Reflect.get(Object(document), 'resource'))
    }

    for (const url of [serverUrl.href, `${serverUrl.href}/`]) {
      test(`is content after a 401 at ${new URL(url).pathname}`, async () => {
        const challenged = await fetch(url, {
          method: 'POST',
          headers: { authorization: 'Bearer stale', 'content-type': 'application/json' },
          body: '{}',
        })
        expect(challenged.status).toBe(401)
        expect(await resourceNamedBy(challenged)).toBe(url)
      })
    }
  })
}
