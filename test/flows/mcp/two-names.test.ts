import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../../spec/verifies.ts'
import { aPair } from '../../support/client-like.ts'
import { getFrom } from '../../support/oauth-world.ts'
import { aWorld, sharedWorld } from '../../support/world.ts'
import { callTool, post, postModern, type Rpc, request, toolNames } from './tool-endpoint.ts'

const world = await sharedWorld()
const newer = await world.aSchool()
const older = await world.aSchool({ variant: 'older', signing: 'none' })

interface Listed {
  readonly name: string
  readonly securitySchemes: readonly { readonly type: string; readonly scopes?: string[] }[]
}

for (const school of [newer, older]) {
  const variant = school === newer ? 'newer' : 'older'
  const { host } = new URL(school.origin)
  const documentUrl = (path: string) => `/.well-known/oauth-protected-resource${path}`

  for (const path of ['/mcp', '/mcp/', '/mcp/member', '/mcp/member/'] as const) {
    describe(`${path} of the ${variant} variant`, async () => {
      const member = await world.aMember(school)
      const client = await world.aPublicClient(school)
      const { access_token: token } = await aPair(world, school, client, member)
      const metadata = `resource_metadata="${school.origin}${documentUrl(path)}"`

      verifies(
        'mcp.metadata.own',
        `${variant} ${path}: every challenge names the document of the called URL`,
        async () => {
          const call = (name: string, given: object = {}) =>
            request('tools/call', { name, arguments: given })
          const refusals = [
            await post(world, school, request('tools/list'), { path, token: 'nonsense' }),
            await post(world, school, call('my_courses'), { path }),
            await post(world, school, call('sign_in', { as: 'member' }), { path }),
            await post(world, school, call('read_people'), { path, token }),
            await postModern(world, school, 'tools/call', { name: 'my_courses' }, { path }),
          ]
          for (const answer of refusals) {
            expect([401, 403]).toContain(answer.statusCode)
            expect(answer.headers['www-authenticate']).toContain(`Bearer ${metadata}`)
            expect(answer.headers['access-control-allow-origin']).toBe('*')
          }
          const inBody = refusals.slice(1).map((answer) => answer.json().result._meta)
          for (const meta of inBody) expect(meta['mcp/www_authenticate'][0]).toContain(metadata)
        },
      )

      verifies(
        'mcp.metadata.own',
        `${variant} ${path}: the document that the challenge names has the called URL as its resource`,
        async () => {
          const document = (await getFrom(world, school, documentUrl(path))).json()
          expect(document.resource).toBe(school.origin + path)
          expect(document.authorization_servers).toEqual([school.origin])
        },
      )

      verifies(
        'mcp.two-names',
        `${variant} ${path}: has the public tools, and the tools of a member with a token`,
        async () => {
          expect(await toolNames(world, school, { path })).toEqual(await toolNames(world, school))
          const mine = await toolNames(world, school, { path, token })
          expect(mine).toContain('my_courses')
          expect(mine).toEqual(await toolNames(world, school, { token }))
          const answer = await callTool(world, school, 'my_account', {}, { path, token })
          expect(answer.structuredContent).toMatchObject({ email: member.email })
        },
      )

      verifies(
        ['mcp.security-schemes', 'mcp.two-names'],
        `${variant} ${path}: sign_in declares scopes that the document of this name lists`,
        async () => {
          const list = await post(world, school, request('tools/list'), { path })
          const { tools = [] } = list.json<Rpc<{ tools: Listed[] }>>().result ?? {}
          const [scheme] = tools.find(({ name }) => name === 'sign_in')?.securitySchemes ?? []
          const { scopes_supported } = (await getFrom(world, school, documentUrl(path))).json()
          expect(scheme?.type).toBe('oauth2')
          expect(scopes_supported).toEqual(expect.arrayContaining(scheme?.scopes ?? []))
          const audience = path.includes('member') ? 'member' : 'operator'
          for (const scope of scopes_supported) {
            expect(SCOPES_OF_AUDIENCE[audience].has(scope)).toBe(true)
          }
        },
      )

      verifies(
        ['mcp.get-and-delete', 'mcp.two-names'],
        `${variant} ${path}: only POST`,
        async () => {
          for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'] as const) {
            const answer = await world.app.inject({ method, url: path, headers: { host } })
            expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST'])
          }
        },
      )

      verifies(
        ['mcp.cors', 'mcp.two-names'],
        `${variant} ${path}: answers preflights`,
        async () => {
          const answer = await world.app.inject({
            method: 'OPTIONS',
            url: path,
            headers: {
              host,
              origin: 'https://client.example',
              'access-control-request-method': 'POST',
              'access-control-request-headers': 'authorization,content-type',
            },
          })
          expect(answer.statusCode).toBe(204)
          expect(answer.headers['access-control-allow-origin']).toBe('*')
        },
      )
    })
  }

  verifies(
    'mcp.metadata.others',
    `${variant}: challenges of all other endpoints name the document of the origin`,
    async () => {
      const root = `resource_metadata="${school.origin}${documentUrl('')}"`
      const authorization = 'Bearer nonsense'
      for (const [method, url] of [
        ['GET', '/api/oauth/userinfo'],
        ['POST', '/member/graphql'],
        ['GET', '/api/v1/courses'],
      ] as const) {
        const headers = { host, authorization, 'content-type': 'application/json' }
        const answer = await world.app.inject({ method, url, headers, payload: '{}' })
        expect(answer.statusCode).toBe(401)
        expect(answer.headers['www-authenticate']).toContain(root)
      }
    },
  )
}

verifies(
  ['mcp.rate-limit', 'mcp.two-names'],
  'both names share one limit, so that a second name is no second quota',
  async () => {
    const limits = { ...world.context.limits, toolCallsPerMinute: 2 }
    const limited = await aWorld({ limits })
    const school = await limited.aSchool()
    const call = request('tools/call', { name: 'get_school' })
    expect((await post(limited, school, call)).headers.ratelimit).toContain('r=1')
    const second = await post(limited, school, call, { path: '/mcp/member' })
    expect(second.headers.ratelimit).toContain('r=0')
    expect((await post(limited, school, call)).statusCode).toBe(429)
    expect((await post(limited, school, call, { path: '/mcp/member' })).statusCode).toBe(429)
  },
)

test('other paths below the endpoint are no names of it', async () => {
  for (const path of ['/mcp/operator', '/mcp/members', '/mcp/member/x', '/mcp//member']) {
    const answer = await post(world, newer, request('tools/list'), { path })
    expect(answer.statusCode).toBe(404)
    expect(answer.json().error_description).toContain(`${newer.origin}/docs`)
  }
})
