import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { aDemoWorld } from '../support/demo-database.ts'
import { getFrom } from '../support/oauth-world.ts'
import { aVendor, demoSchoolsAt, demoToken, post, type Rpc, request } from './mcp/tool-endpoint.ts'

// Clients keep these documents, and models are tuned to the words of tools: they change on purpose.
// `npx vitest run test/flows/what-clients-see.test.ts -u` writes what is served now.

const FIXTURES = '../fixtures/what-clients-see'
const world = await aDemoWorld()
const schoolOf = await demoSchoolsAt(world)
const demo = await schoolOf('demo')

interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const digestsOf = (parts: Readonly<Record<string, unknown>>) =>
  Object.entries(parts).map(([name, part]) => [
    name,
    sha256(JSON.stringify(part)).toString('hex').slice(0, 8),
  ])

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

// The whole document has a megabyte: a digest shows which operation or schema has changed.
test('the document of the REST API', async () => {
  const { info, paths, components } = (await getFrom(world, demo, '/openapi.json')).json<Document>()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    digestsOf(methods).map(([method, digest]) => [`${method} ${path}`, digest]),
  )
  const parts = Object.entries(components).flatMap(([kind, named]) =>
    digestsOf(named).map(([name, digest]) => [`${kind}/${name}`, digest]),
  )
  const seen = { version: info.version, ...Object.fromEntries([...operations, ...parts]) }
  await expect(inLines(seen)).toMatchFileSnapshot(`${FIXTURES}/rest-api.json`)
})
