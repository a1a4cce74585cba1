import { expect } from 'vitest'
import { ERROR_GROUPS } from '../../src/foundation/errors/catalogue.ts'
import { verifies } from '../spec/verifies.ts'
import { anOperator } from '../support/admin-api.ts'
import { aSetup, ask, locationOf } from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { postForm } from '../support/client-like.ts'
import { aToken, postGraphQL } from '../support/member-api.ts'
import { aWorld, type TestSchool } from '../support/world.ts'
import { post, request } from './mcp/tool-endpoint.ts'

const world = await aWorld()
const setup = await aSetup(world)
const { school } = setup
const other = await world.aSchool()

/** What stands behind an address that an answer names. */
async function explained(address: unknown, at: TestSchool = school): Promise<string> {
  const { origin, pathname, hash } = new URL(String(address))
  expect(origin).toBe(at.origin)
  const { body } = await new Visitor(world, at).get(pathname)
  const id = decodeURIComponent(hash.slice(1))
  expect(body).toContain(` id="${id}"`)
  return id
}

verifies(
  'errors.catalogue',
  'the page has every code once, as the id of its explanation',
  async () => {
    const { body, statusCode } = await new Visitor(world, school).get('/docs/errors')
    expect(statusCode).toBe(200)
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { errors } of ERROR_GROUPS) {
      for (const code of Object.keys(errors)) expect(ids).toContain(code)
    }
  },
)

verifies(
  'errors.linked',
  'a refusal of the token endpoint names its explanation at its own origin',
  async () => {
    for (const at of [school, other]) {
      const answer = await postForm(world, at, '/api/oauth/token', { grant_type: 'password' })
      const { error, error_uri } = answer.json()
      expect(await explained(error_uri, at)).toBe(error)
    }
  },
)

verifies('errors.linked', 'an error redirect carries error_uri', async () => {
  const answer = await ask(setup, { scope: 'nonsense' })
  const told = new URL(locationOf(answer)).searchParams
  expect(await explained(told.get('error_uri'))).toBe('invalid_scope')
})

verifies(
  'errors.linked',
  'type of a REST problem is the address, code stays, and the codes of fields and reasons are explained',
  async () => {
    const operator = await anOperator(world, school)
    const wrong = (await operator.post('/courses', { slug: 'a', nonsense: 1 })).json()
    expect(await explained(wrong.type)).toBe(wrong.code)
    for (const { code } of wrong.errors) await explained(`${school.origin}/docs/errors#${code}`)
    const course = { slug: 'twice', title: 'Twice' }
    await operator.post('/courses', course)
    const taken = (await operator.post('/courses', course)).json()
    expect(await explained(taken.type)).toBe('conflict')
    await explained(`${school.origin}/docs/errors#${taken.reason}`)
  },
)

verifies(
  'errors.linked',
  'extensions.docs of a GraphQL error is the address of its code',
  async () => {
    const token = await aToken(world, school, await world.aMember(school), 'account:write')
    const sent = [{ query: '{ viewer { id } }' }, { query: '{ nonsense }' }, { query: '{' }, {}]
    const codes = []
    for (const body of sent) {
      const [error] = (await postGraphQL(world, school, token, body)).json().errors
      codes.push(error.extensions.code)
      expect(await explained(error.extensions.docs)).toBe(error.extensions.code)
    }
    expect(new Set(codes).size).toBe(codes.length)
  },
)

verifies(
  'errors.linked',
  'a refused message and a failed tool name their explanations',
  async () => {
    const refused = (await post(world, school, [])).json()
    expect(await explained(refused.error.data.docs)).toBe(String(refused.error.code))
    const call = request('tools/call', { name: 'get_course', arguments: { slug: 'none' } })
    const failed = (await post(world, school, call)).json().result
    expect(failed.isError).toBe(true)
    expect(await explained(failed.content[0].text.split(' explained at ')[1])).toBe('not_found')
  },
)

verifies(
  'errors.linked',
  'errors that the library of the protocol makes name their explanations, and keep what they say',
  async () => {
    const unknown = (await post(world, school, request('no/such'))).json().error
    expect(await explained(unknown.data.docs)).toBe(String(unknown.code))
    const headers = { 'mcp-protocol-version': '1999-01-01' }
    const older = (await post(world, school, request('tools/list'), { headers })).json().error
    expect(await explained(older.data.docs)).toBe(String(older.code))
    const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }
    const newer = (await post(world, school, request('tools/list', modern))).json().error
    expect(await explained(newer.data.docs)).toBe(String(newer.code))
  },
)

verifies(
  'errors.linked',
  'a host without a school explains its codes at a path, not at an address made of its Host header',
  async () => {
    const at = (url: string, accept: string, host = 'nowhere.test') =>
      world.app.inject({ url, headers: { host, accept } })
    const refused = (await at('/api/oauth/token', 'application/json')).json()
    expect(refused.error_uri).toBe('/docs/errors#unknown_school')
    const page = await at('/docs/errors', 'text/html')
    expect(page.statusCode).toBe(404)
    expect(page.body).toContain(' id="unknown_school"')
    expect(page.body).not.toContain('nowhere.test')
    expect((await at('/docs/errors', 'application/json')).json().error).toBe('unknown_school')
    const malformed = (await at('/', 'application/json', 'a b')).json()
    expect(malformed.error_uri).toBe('/docs/errors#unknown_school')
  },
)

verifies('errors.linked', 'an answer of the last resort names its explanation', async () => {
  const answer = await world.app.inject({
    url: `/${'a'.repeat(9000)}`,
    headers: { host: new URL(school.origin).host, accept: 'application/json' },
  })
  const { error, error_uri } = answer.json()
  expect(answer.statusCode).toBe(414)
  expect(await explained(new URL(error_uri, school.origin))).toBe(error)
})

verifies('errors.linked', 'a JSON 404 names the guide and the explanation', async () => {
  const answer = await world.app.inject({
    url: '/nothing',
    headers: { host: new URL(school.origin).host, accept: 'application/json' },
  })
  expect(answer.json().error_description).toContain(`${school.origin}/docs`)
  expect(await explained(answer.json().error_uri)).toBe('not_found')
})
