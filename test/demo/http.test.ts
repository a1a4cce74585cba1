import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { ask, expectErrorRedirect } from '../support/authorization.ts'
import { aPkce, authorizeAs } from '../support/browser-like.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { postForm } from '../support/client-like.ts'
import { aDemoWorld } from '../support/demo-database.ts'
import type { TestClient, TestPerson, TestSchool } from '../support/world.ts'

const world = await aDemoWorld({ loopbackDocuments: true })
const owner: TestPerson = {
  id: 'unused',
  name: 'unused',
  email: 'owner@demo.test',
  password: 'schoolgate-demo',
}
let demo: TestSchool

beforeAll(async () => {
  demo = await world.theSchoolAt('http://localhost:3000')
})

verifies(
  'demo.vendors',
  'the four known platforms can register, and each has a loopback address',
  async () => {
    for (const name of ['Claude', 'ChatGPT', 'Cursor', 'Visual Studio Code']) {
      const answer = await postForm(world, demo, '/api/oauth/register', { client_name: name })
      expect(answer.statusCode).toBe(201)
      const { redirect_uris } = answer.json() as { redirect_uris: string[] }
      expect(redirect_uris.some((uri) => uri.startsWith('http://127.0.0.1'))).toBe(true)
    }
  },
)

verifies(
  'demo.documents',
  'a metadata document on this machine is permitted, and counts as unreviewed',
  async () => {
    const publisher = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ client_id: clientId, redirect_uris: [redirectUri] }))
    }).listen(0, '127.0.0.1')
    whenFileIsDone(() => publisher.close())
    await new Promise((resolve) => publisher.once('listening', resolve))
    const clientId = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/client.json`
    const redirectUri = 'http://127.0.0.1/callback'
    const client: TestClient = { clientId, secret: undefined, redirectUri }
    const options = { pkce: aPkce(), parameters: { resource: undefined } }
    const read = await authorizeAs(world, demo, client, owner, {
      ...options,
      scope: 'courses:read',
    })
    expect(read.get('code')).not.toBeNull()
    const setup = { world, school: demo, client, person: owner }
    expectErrorRedirect(setup, await ask(setup, { scope: 'courses:write' }), 'invalid_scope')
  },
)
