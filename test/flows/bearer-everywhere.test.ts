import { describe, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import type { Answer } from '../support/browser-like.ts'
import { aPair, type Pair, refresh, userinfo } from '../support/client-like.ts'
import { postGraphQL } from '../support/member-api.ts'
import { anOperatorPair, CLAUDE, getFrom, isLive, removeOwner } from '../support/oauth-world.ts'
import { aWorld, type TestClient, type TestSchool } from '../support/world.ts'
import { post as postTool, request as toolRequest } from './mcp/tool-endpoint.ts'

const world = await aWorld()
const school = await world.aSchool()
const elsewhere = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)
const owner = await world.aMember(school, ['owner'])

interface Surface {
  readonly name: string
  readonly app: TestClient
  /** The path of its metadata document, where it has its own. */
  readonly resource?: string
  readonly pair: () => Promise<Pair>
  readonly call: (token: string, at?: TestSchool) => Promise<Answer>
}

const memberPair = () => aPair(world, school, client, ada)

/** Every endpoint that accepts a token. */
const surfaces: readonly Surface[] = [
  {
    name: 'UserInfo',
    app: client,
    pair: memberPair,
    call: (token, at = school) => userinfo(world, at, token),
  },
  {
    name: 'the Member API',
    app: client,
    pair: memberPair,
    call: (token, at = school) => postGraphQL(world, at, token, { query: '{ viewer { id } }' }),
  },
  {
    name: 'the tool endpoint',
    app: client,
    resource: '/mcp',
    pair: memberPair,
    call: (token, at = school) => postTool(world, at, toolRequest('tools/list'), { token }),
  },
  {
    name: 'the tool endpoint for members',
    app: client,
    resource: '/mcp/member',
    pair: memberPair,
    call: (token, at = school) =>
      postTool(world, at, toolRequest('tools/list'), { token, path: '/mcp/member' }),
  },
  {
    name: 'the REST API',
    app: CLAUDE,
    pair: () => anOperatorPair(world, school, owner, { scope: 'courses:read' }),
    call: (token, at = school) =>
      getFrom(world, at, '/api/v1/courses', { authorization: `Bearer ${token}` }),
  },
]

function expectInvalidToken(answer: Answer, at: TestSchool, resource: string): void {
  expect(answer.statusCode).toBe(401)
  expect(answer.json()).toMatchObject({
    error: 'invalid_token',
    error_description: expect.stringMatching(/\S/),
  })
  expect(answer.headers['www-authenticate']).toContain(
    `resource_metadata="${at.origin}/.well-known/oauth-protected-resource${resource}"`,
  )
}

for (const { name, app, resource = '', pair, call } of surfaces) {
  describe(`${name}`, () => {
    verifies(
      'pair.first-use.where',
      `${name} counts as a use: the new token there retires the old pair, at another school it does not`,
      async () => {
        const old = await pair()
        const young = (await refresh(world, school, app, old.refresh_token)).json()
        expectInvalidToken(await call(young.access_token, elsewhere), elsewhere, resource)
        expect(await isLive(world, old)).toBe(true)
        expect((await call(young.access_token)).statusCode).toBe(200)
        expect(await isLive(world, old)).toBe(false)
      },
    )

    verifies(
      ['errors.bearer.bad-token', 'bearer.body', 'binding.challenge-names-called'],
      `${name} refuses bad tokens and tokens of other schools or without an owner with one answer`,
      async () => {
        expectInvalidToken(await call('garbage'), school, resource)
        const good = await pair()
        const foreign = await call(good.access_token, elsewhere)
        expectInvalidToken(foreign, elsewhere, resource)
        expect(JSON.stringify([foreign.headers, foreign.body])).not.toContain(school.subdomain)
        await removeOwner(world, good)
        const unbound = await call(good.access_token)
        expectInvalidToken(unbound, school, resource)
        expect(unbound.body).toContain('not bound to a user')
      },
    )
  })
}

verifies(
  'binding.both-endpoints',
  'one member token works at the tool endpoint and the Member API',
  async () => {
    const { access_token } = await memberPair()
    for (const { name, call } of surfaces) {
      if (name === 'the REST API') continue
      expect((await call(access_token)).statusCode, name).toBe(200)
    }
  },
)
