import { expect, test } from 'vitest'
import { switchPlatform } from '../../src/domain/clients/change-platforms.ts'
import { verifies } from '../spec/verifies.ts'
import { ask, expectPage } from '../support/authorization.ts'
import { aPair, postForm, refresh } from '../support/client-like.ts'
import { auditOf, CLAUDE } from '../support/oauth-world.ts'
import { aWorld, type TestClient, type TestSchool } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
const owner = await world.aMember(school, ['owner'])

const READ = { scope: 'school:read' }
const TOLD =
  /is switched off at this school\. An owner or admin of the school can switch it on again/

async function switchOff(at: TestSchool, { clientId }: TestClient): Promise<void> {
  const clients = at.db.update('clients').set({ disabled_at: new Date() })
  await clients.where('client_id', '=', clientId).execute()
}

verifies(
  'client.switched-off.told',
  'the token endpoint tells a public client, and a confidential one with its secret',
  async () => {
    for (const app of [
      await world.aPublicClient(school),
      await world.aConfidentialClient(school),
    ]) {
      const pair = await aPair(world, school, app, ada)
      await switchOff(school, app)
      const answer = await refresh(world, school, app, pair.refresh_token)
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
      expect(answer.json().error_description).toMatch(TOLD)
    }
  },
)

verifies(
  'client.switched-off.told',
  'a search for switched-off clients without their secret learns nothing',
  async () => {
    const older = await world.aSchool({ variant: 'older' })
    for (const at of [school, older]) {
      const app = await world.aConfidentialClient(at)
      await switchOff(at, app)
      const paths = ['/api/oauth/token', ...(at === older ? ['/api/oauth/introspect'] : [])]
      for (const path of paths) {
        const send = async (client_id: string, client_secret?: string) => {
          const fields = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
          return (await postForm(world, at, path, { ...fields, client_id, client_secret })).json()
        }
        const unknown = await send('unknown', 'wrong')
        expect(await send(app.clientId, 'wrong')).toEqual(unknown)
        expect(await send(app.clientId)).toEqual(unknown)
        expect((await send(app.clientId, app.secret)).error_description).toMatch(TOLD)
      }
    }
  },
)

test('its refusal is in the audit if the client sent its secret, and only then', async () => {
  const [open, keeper] = [
    await world.aPublicClient(school),
    await world.aConfidentialClient(school),
  ]
  await switchOff(school, open)
  await switchOff(school, keeper)
  const rows = await auditOf(school, async () => {
    await refresh(world, school, open, 'x')
    await refresh(world, school, keeper, 'x', { client_secret: 'wrong' })
    await refresh(world, school, keeper, 'x')
  })
  expect(rows.map((row) => [row.client_id, row.outcome])).toEqual([
    [keeper.clientId, 'invalid_client'],
  ])
})

verifies(
  'client.switched-off.told',
  'REST, /mcp and the Member API give the next step with the refusal of its token',
  async () => {
    const at = await world.aSchool()
    const member = await world.aMember(at)
    const boss = await world.aMember(at, ['owner'])
    const app = await world.aPublicClient(at)
    const mine = (await aPair(world, at, app, member)).access_token
    const theirs = (await aPair(world, at, CLAUDE, boss, READ)).access_token
    await switchOff(at, app)
    await switchOff(at, CLAUDE)
    const calls = [
      ['GET', '/api/v1/school', theirs],
      ['POST', '/mcp', theirs],
      ['POST', '/mcp', mine],
      ['POST', '/member/graphql', mine],
    ] as const
    for (const [method, url, token] of calls) {
      const answer = await world.app.inject({
        method,
        url,
        headers: {
          host: new URL(at.origin).host,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        ...(method === 'POST' ? { payload: '{"query":"{ viewer { id } }"}' } : {}),
      })
      expect([url, answer.statusCode]).toEqual([url, 401])
      expect(answer.body).toMatch(TOLD)
    }
  },
)

verifies(
  'client.switched-off.told',
  'the authorization endpoint shows a page that says so, without a redirect',
  async () => {
    const app = await world.aPublicClient(school)
    await switchOff(school, app)
    const answer = await ask({ world, school, person: ada, client: app }, {})
    expectPage(answer, 400)
    expect(answer.headers.location).toBeUndefined()
    expect(answer.body).toContain('<h1>This app is switched off</h1>')
    expect(answer.body).toContain('owner or admin of the school')
    expect(answer.body).toContain('href="/admin/clients"')
    expect(answer.body).not.toContain('Only the developer')
  },
)

test('a platform that one school switched off still registers there: the list decides', async () => {
  const at = await world.aSchool()
  const boss = await world.aMember(at, ['owner'])
  await aPair(world, at, CLAUDE, boss, READ)
  await switchOff(at, CLAUDE)
  const answer = await postForm(world, at, '/api/oauth/register', { client_name: 'Claude' })
  expect([answer.statusCode, answer.json().client_id]).toEqual([201, CLAUDE.clientId])
  expectPage(await ask({ world, school: at, person: boss, client: CLAUDE }, READ), 400)
})

verifies(
  'client.switched-off.told',
  'the page of a platform that the administrator switched off names the administrator',
  async () => {
    const fresh = await world.aSchool()
    const other = await world.aMember(fresh, ['owner'])
    await aPair(world, school, CLAUDE, owner, READ)
    const by = { via: 'command_line' } as const
    expect(await switchPlatform(world.database.db, CLAUDE.clientId, 'off', by)).toBe(true)
    for (const setup of [
      { world, school, person: owner, client: CLAUDE },
      { world, school: fresh, person: other, client: CLAUDE },
    ]) {
      const answer = await ask(setup, READ)
      expectPage(answer, 400)
      expect(answer.body).toContain('<h1>This app is switched off</h1>')
      expect(answer.body).toContain('Only the administrator of this server')
      expect(answer.body).not.toContain('href="/admin/clients"')
    }
  },
)
