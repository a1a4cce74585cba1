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

verifies('errors.linked', 'a JSON 404 names the guide and the explanation', async () => {
  const answer = await world.app.inject({
    url: '/nothing',
    headers: { host: new URL(school.origin).host, accept: 'application/json' },
  })
  expect(answer.json().error_description).toContain(`${school.origin}/docs`)
  expect(await explained(answer.json().error_uri)).toBe('not_found')
})
