import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { getFrom } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'
import { aVendor, demoToken, post, type Rpc, request, seedDemoWorld } from './mcp/tool-endpoint.ts'

// Clients keep these documents, and models are tuned to the words of tools: they change on purpose.
// `npx vitest run test/flows/what-clients-see.test.ts -u` writes what is served now.

const FIXTURES = '../fixtures/what-clients-see'
const world = await aWorld()
const schoolOf = await seedDemoWorld(world)
const demo = await schoolOf('demo')

const inLines = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`

describe('tools/list of', () => {
  const tools = async (path: string, token?: string) => {
    const answer = await post(world, demo, request('tools/list'), { path, token })
    return inLines(answer.json<Rpc>().result)
  }

  test('a stranger', async () => {
    await expect(await tools('/mcp')).toMatchFileSnapshot(`${FIXTURES}/tools-of-strangers.json`)
  })

  test('a member', async () => {
    const token = await demoToken(
      world,
      demo,
      'ada@demo.test',
      SCOPES_OF_AUDIENCE.member.toString(),
    )
    const listed = await tools('/mcp/member', token)
    await expect(listed).toMatchFileSnapshot(`${FIXTURES}/tools-of-members.json`)
  })

  test('an owner', async () => {
    const scope = SCOPES_OF_AUDIENCE.operator.toString()
    const token = await demoToken(world, demo, 'owner@demo.test', scope, await aVendor(world, demo))
    const listed = await tools('/mcp', token)
    await expect(listed).toMatchFileSnapshot(`${FIXTURES}/tools-of-owners.json`)
  })
})

describe('discovery of', () => {
  for (const name of ['demo', 'harbor', 'heritage']) {
    test(name, async () => {
      const school = await schoolOf(name)
      const documents: Record<string, unknown> = {}
      for (const path of [
        'oauth-authorization-server',
        'openid-configuration',
        'oauth-protected-resource',
        'oauth-protected-resource/mcp',
        'oauth-protected-resource/mcp/member',
      ]) {
        documents[path] = (await getFrom(world, school, `/.well-known/${path}`)).json()
      }
      await expect(inLines(documents)).toMatchFileSnapshot(`${FIXTURES}/discovery-${name}.json`)
    })
  }
})
