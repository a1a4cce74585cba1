import { InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { OutlineCache } from '../../../src/domain/learning/outline.ts'
import { ScopeSet } from '../../../src/foundation/protocol/scope-set.ts'
import { serveMessage } from '../../../src/surfaces/mcp/serve-message.ts'
import { signedIn } from '../../../src/surfaces/mcp/tool.ts'
import { createToolServer } from '../../../src/surfaces/mcp/tool-server.ts'
import { findTool, ToolLists } from '../../../src/surfaces/mcp/toolbox.ts'
import { verifies } from '../../spec/verifies.ts'
import type { Answer } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { sharedWorld } from '../../support/world.ts'
import {
  callTool,
  MODERN,
  post,
  postModern,
  type Rpc,
  request,
  type ToolAnswer,
  toolNames,
} from './tool-endpoint.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const member = await world.aMember(school)
const client = await world.aPublicClient(school)

const tokenFor = async (scope: string): Promise<string> =>
  (await aPair(world, school, client, member, { scope })).access_token

const METADATA = `resource_metadata="${school.origin}/.well-known/oauth-protected-resource/mcp"`

/** The challenge as the JSON-RPC body repeats it. */
function challengesIn(answer: Answer): string[] {
  const { id, result } = answer.json<Rpc>()
  expect(id).toBe(1)
  expect(result?.isError).toBe(true)
  const meta = result?._meta as Record<string, string[]>
  return meta['mcp/www_authenticate'] ?? []
}

const legacy = (name: string, token?: string, given: object = {}) =>
  post(world, school, request('tools/call', { name, arguments: given }), { token })
const modern = (name: string, token?: string, given: object = {}) =>
  postModern(world, school, 'tools/call', { name, arguments: given }, { token })

for (const [era, call] of Object.entries({ handshake: legacy, modern })) {
  describe(`a call that needs more scopes, ${era} era`, () => {
    verifies(
      ['mcp.step-up.anonymous', 'mcp.step-up.all-scopes', 'mcp.step-up.body', 'mcp.metadata.own'],
      'without a token: 401 with a challenge without error, and the challenge in the body',
      async () => {
        const answer = await call('my_courses')
        expect(answer.statusCode).toBe(401)
        expect(answer.headers['www-authenticate']).toBe(`Bearer ${METADATA}, scope="account:read"`)
        const [inBody] = challengesIn(answer)
        expect(inBody).toContain(METADATA)
        expect(inBody).toContain('scope="account:read"')
        expect(inBody).toContain('error="insufficient_scope"')
      },
    )

    verifies(
      ['mcp.step-up.signed-in', 'mcp.step-up.all-scopes', 'mcp.step-up.body'],
      'without the scope: 403 insufficient_scope, which also names the scopes that the token has',
      async () => {
        const answer = await call('mark_all_notifications_read', await tokenFor('account:read'))
        expect(answer.statusCode).toBe(403)
        const header = answer.headers['www-authenticate']
        expect(header).toContain(`Bearer ${METADATA}, error="insufficient_scope"`)
        expect(header).toContain('scope="account:read account:write"')
        expect(challengesIn(answer)).toEqual([header])
      },
    )

    verifies(
      'mcp.step-up.before-stream',
      'the answer is one JSON body with its status, and no tool runs',
      async () => {
        const token = await tokenFor('account:read')
        await call('my_courses', token)
        const statements = await world.database.statementsOf(async () => {
          const answer = await call('mark_all_notifications_read', token)
          expect(answer.statusCode).toBe(403)
          expect(answer.headers['content-type']).toMatch(/^application\/json/)
        })
        expect(statements.filter((text) => text.includes('notifications'))).toEqual([])
      },
    )

    verifies(
      ['mcp.sign-in.challenges', 'mcp.sign-in.roles'],
      'sign_in gives the challenge, with the identity and read scopes of the requested role',
      async () => {
        const asMember = await call('sign_in', undefined, { as: 'member' })
        expect(asMember.statusCode).toBe(401)
        expect(asMember.headers['www-authenticate']).toContain(
          'scope="account:read email openid profile"',
        )
        const asOperator = await call('sign_in', undefined, { as: 'operator' })
        expect(asOperator.statusCode).toBe(401)
        const header = String(asOperator.headers['www-authenticate'])
        for (const scope of ['openid', 'courses:read', 'orders:read', 'analytics:read']) {
          expect(header).toContain(scope)
        }
        expect(header).not.toMatch(/account:|:write/)
        expect(challengesIn(asOperator)).toHaveLength(1)
      },
    )

    verifies(
      'mcp.sign-in.without-role',
      'sign_in without a role, or with another, is a tool error that names both, without a challenge',
      async () => {
        const tokens = [undefined, await tokenFor('openid'), await tokenFor('account:read')]
        for (const token of tokens) {
          for (const given of [{}, { as: 'owner' }, { as: null }, { as: 'member', now: true }]) {
            const answer = await call('sign_in', token, given)
            expect(answer.statusCode).toBe(200)
            expect(answer.headers['www-authenticate']).toBeUndefined()
            const { result } = answer.json<Rpc<ToolAnswer>>()
            expect(result?.isError).toBe(true)
            expect(result?._meta?.['mcp/www_authenticate']).toBeUndefined()
            expect(result?.content[0]?.text).toContain('{"as": "member"}')
            expect(result?.content[0]?.text).toContain('{"as": "operator"}')
          }
        }
      },
    )
  })
}

describe('visibility of tools', () => {
  verifies('mcp.unlisted', 'depends on the scopes of the token', async () => {
    const anonymous = await toolNames(world, school)
    expect(anonymous.filter((name) => /^(my|mark|update)_/.test(name))).toEqual([])
    const reader = await toolNames(world, school, { token: await tokenFor('account:read') })
    expect(reader).toContain('my_payments')
    expect(reader).not.toContain('mark_notification_read')
    const writer = await toolNames(world, school, { token: await tokenFor('account:write') })
    expect(writer).toContain('mark_notification_read')
    expect(writer).not.toContain('my_payments')
    const identity = await toolNames(world, school, { token: await tokenFor('openid') })
    expect(identity).toEqual(anonymous.filter((name) => name !== 'sign_in'))
  })

  verifies('mcp.older-origins', 'older origins have no payment and schedule tools', async () => {
    const older = await world.aSchool({ variant: 'older' })
    const person = await world.aMember(older)
    const app = await world.aPublicClient(older)
    const { access_token: token } = await aPair(world, older, app, person)
    const names = await toolNames(world, older, { token })
    expect(names).toContain('my_courses')
    expect(names).not.toContain('my_payments')
    expect(names).not.toContain('my_schedule')
    const anonymous = await postModern(world, older, 'server/discover')
    expect(anonymous.json().result.instructions).toContain('progress and notifications')
    expect(anonymous.json().result.instructions).not.toMatch(/payments|schedule/)
    const call = request('tools/call', { name: 'my_payments' })
    for (const options of [{ token }, {}]) {
      const answer = await post(world, older, call, options)
      expect(answer.json<Rpc>().error?.code).toBe(-32602)
    }
  })

  for (const scope of ['openid profile email account:read', 'account:read', 'account:write']) {
    verifies(
      'mcp.sign-in.repeated',
      `sign_in with a token for ${scope} answers that the person is signed in`,
      async () => {
        const token = await tokenFor(scope)
        expect(await toolNames(world, school, { token })).not.toContain('sign_in')
        const given = { as: 'member' }
        const { structuredContent } = await callTool(world, school, 'sign_in', given, { token })
        expect(structuredContent).toMatchObject({ signedIn: true, name: member.name })
      },
    )
  }

  test('sign_in with a token that has only identity scopes requests more scopes', async () => {
    const answer = await legacy('sign_in', await tokenFor('openid'), { as: 'member' })
    expect(answer.statusCode).toBe(403)
    expect(answer.headers['www-authenticate']).toContain('account:read')
  })

  test('a member token gets the answer that operator tools need an application for operators', async () => {
    const token = await tokenFor('account:read')
    for (const [name, given] of Object.entries({
      sign_in: { as: 'operator' },
      read_people: { action: 'students.list' },
      change_school: {},
    })) {
      const answer = await legacy(name, token, given)
      expect(answer.statusCode).toBe(403)
      expect(answer.headers['www-authenticate']).not.toMatch(/scope="[^"]*account:/)
      expect(answer.json().result.content[0].text).toContain('an application for operators')
    }
  })

  verifies('mcp.sign-in.described', 'the description of sign_in says what it is for', async () => {
    const { result } = (await post(world, school, request('tools/list'))).json()
    const tools: { name: string; description: string }[] = result.tools
    const signIn = tools.find(({ name }) => name === 'sign_in')
    expect(signIn?.description).toMatch(/^Starts a login/)
  })
})

describe('scope checks at the place where a tool runs', async () => {
  const found = await world.context.directory.find(school.origin)
  if (found === undefined) throw new Error('the school was not found')
  const lists = new ToolLists()
  const uncheckedServer = () =>
    createToolServer({ school: found, caller: undefined, endpoint: '/mcp' }, undefined, {
      version: '1',
      lists,
    })

  verifies(
    'mcp.scope-checked-where-run',
    'a caller without the scopes does not count as signed in for the call, with any arguments',
    async () => {
      const call = {
        school: found,
        db: school.db,
        endpoint: '/mcp' as const,
        path: '/mcp' as const,
        caller: undefined,
        outlines: new OutlineCache(),
        requestId: 'a request',
      }
      for (const name of ['my_courses', 'mark_all_notifications_read', 'read_people']) {
        for (const given of [{}, undefined, { action: 'students.list' }, 'nonsense']) {
          const needs = findTool(name, found)?.parse(given, undefined).needs
          expect(needs?.size).toBeGreaterThan(0)
          expect(signedIn(call, needs ?? ScopeSet.empty)).toBeUndefined()
        }
      }
    },
  )

  verifies(
    'mcp.scope-checked-where-run',
    'a call that reaches the SDK without our scope check finds no tool',
    async () => {
      const [client, server] = InMemoryTransport.createLinkedPair()
      const answer = new Promise((resolve) => {
        client.onmessage = resolve
      })
      await uncheckedServer().connect(server)
      await client.start()
      await client.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'my_courses' },
      })
      expect(await answer).toMatchObject({ id: 1, error: { code: -32603 } })
    },
  )

  verifies(
    ['mcp.batches', 'mcp.scope-checked-where-run'],
    'a batch that passes our own check runs nothing in either era',
    async () => {
      const call = request('tools/call', { name: 'my_courses' })
      for (const version of ['2025-03-26', MODERN]) {
        const response = await serveMessage({
          headers: {
            'mcp-protocol-version': version,
            'mcp-method': 'tools/call',
            'mcp-name': 'get_school',
          },
          message: { id: 1, method: 'tools/call', params: {}, body: [call, call] },
          createServer: uncheckedServer,
        })
        expect(await response.text()).not.toContain('"result"')
      }
    },
  )
})
