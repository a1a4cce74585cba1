import { describe, expect, test } from 'vitest'
import { anOperator } from '../support/admin-api.ts'
import { aPair, postForm } from '../support/client-like.ts'
import { aWorld, type TestSchool } from '../support/world.ts'
import { callTool, post, postModern, request } from './mcp/tool-endpoint.ts'

const world = await aWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })

const get = (at: TestSchool, url: string) =>
  world.app.inject({ url, headers: { host: new URL(at.origin).host } })

/**
 * How many statements an endpoint sends once its school is known. A round trip more is a request that
 * costs more for ever, and this notices it whatever machine it runs on.
 */
async function cost(work: () => Promise<{ readonly statusCode: number }>): Promise<number> {
  const warm = await work()
  expect(warm.statusCode).toBeLessThan(400)
  return (await world.database.statementsOf(work)).length
}

describe('statements per request', () => {
  for (const url of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
    '/.well-known/jwks.json',
    '/openapi.json',
    '/docs',
  ]) {
    test(`${url}: none`, async () => {
      expect(await cost(() => get(school, url))).toBe(0)
    })
  }

  test('introspection: 1', async () => {
    const client = await world.aPublicClient(older)
    const pair = await aPair(world, older, client, await world.aMember(older))
    const fields = { client_id: client.clientId, token: pair.access_token }
    expect(await cost(() => postForm(world, older, '/api/oauth/introspect', fields))).toBe(1)
  })

  test('the tool endpoint: none for a stranger, in either era', async () => {
    expect(await cost(() => postModern(world, school, 'tools/list'))).toBe(0)
    expect(await cost(() => post(world, school, request('tools/list')))).toBe(0)
    const asked = async () => {
      await callTool(world, school, 'get_school')
      return { statusCode: 200 }
    }
    expect(await cost(asked)).toBe(0)
  })

  test('the Admin API: who calls, and the page', async () => {
    const operator = await anOperator(world, school)
    const { accessToken: token } = operator
    expect(await cost(() => postModern(world, school, 'tools/list', {}, { token }))).toBe(1)
    expect(await cost(() => operator.get('/members?limit=50'))).toBe(2)
    expect(await cost(() => operator.get('/courses'))).toBe(2)
    expect(await cost(() => operator.get(`/members/${operator.person.id}`))).toBe(2)
  })
})
