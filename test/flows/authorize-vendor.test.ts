import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../spec/verifies.ts'
import {
  ask,
  expectErrorRedirect,
  expectPage,
  locationOf,
  type Setup,
  signedIn,
} from '../support/authorization.ts'
import { aPair, postForm, refresh, userinfo } from '../support/client-like.ts'
import { auditOf } from '../support/oauth-world.ts'
import { aWorld, CALLBACK } from '../support/world.ts'

const world = await aWorld()
const PLATFORMS = ['Claude', 'ChatGPT', 'Cursor', 'Visual Studio Code']
const READ = { scope: 'openid courses:read' }

const register = (setup: Pick<Setup, 'school'>, body: object) =>
  world.app.inject({
    method: 'POST',
    url: '/api/oauth/register',
    headers: {
      host: new URL(setup.school.origin).host,
      'content-type': 'application/json',
    },
    payload: JSON.stringify(body),
  })

async function aPlatform(name = 'Claude'): Promise<Setup> {
  const school = await world.aSchool()
  const person = await world.aMember(school, ['owner'])
  const { client_id } = (await register({ school }, { client_name: name })).json()
  const client = { clientId: client_id, secret: undefined, redirectUri: CALLBACK }
  return { world, school, person, client }
}

const rowsOf = ({ school }: Setup) => school.db.from('clients').selectAll().execute()

describe('a vendor platform', () => {
  for (const name of PLATFORMS) {
    verifies(
      ['register.allowlist.match', 'register.same-id-each-time', 'register.operator-audience'],
      `${name} gets the same client_id each time and at each school, and completes the flow with it`,
      async () => {
        const setup = await aPlatform(name)
        const again = await register(setup, { client_name: name })
        expect(again.statusCode).toBe(201)
        expect(again.json().client_id).toBe(setup.client.clientId)
        const elsewhere = await aPlatform(name)
        expect(elsewhere.client.clientId).toBe(setup.client.clientId)
        const pair = await aPair(world, setup.school, setup.client, setup.person, READ)
        expect(pair).not.toHaveProperty('school_id')
        expect((await userinfo(world, setup.school, pair.access_token)).statusCode).toBe(200)
      },
    )
  }

  verifies(
    ['register.body.changes-nothing', 'trouble.registrations-pile-up'],
    'cannot change its redirect URIs, scopes or authentication by the request, and adds no row',
    async () => {
      const setup = await aPlatform()
      const evil = 'https://evil.example/cb'
      const plain = await register(setup, { client_name: 'Claude' })
      const forged = await register(setup, {
        client_name: 'Claude',
        redirect_uris: [evil],
        scope: 'account:read account:write',
        token_endpoint_auth_method: 'client_secret_post',
        client_id: 'mine',
        grant_types: ['password'],
      })
      expect(forged.json()).toEqual(plain.json())
      expect(await rowsOf(setup)).toEqual([])
      expectPage(await ask(setup, { ...READ, redirect_uri: evil }), 400)
      const answer = await ask(setup, { scope: 'account:write' })
      expectErrorRedirect(setup, answer, 'invalid_scope')
    },
  )

  verifies(
    'client.installation-wide.local-row',
    'gets its row at a school with the first consent there, and none if the person denies',
    async () => {
      const setup = await aPlatform()
      const { visitor, page } = await signedIn(setup, READ)
      expect(await rowsOf(setup)).toEqual([])
      expectErrorRedirect(setup, await visitor.decide(page, 'deny'), 'access_denied')
      expect(await rowsOf(setup)).toEqual([])
      expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
      expect(await rowsOf(setup)).toMatchObject([
        { client_id: 'claude', kind: 'vendor', audience: 'operator', confidential: false },
      ])
    },
  )

  verifies(
    'house.audit.events',
    'gets an audit row with its first consent at a school and when its redirect URIs change, else none',
    async () => {
      const { school, client, person } = await aPlatform('ChatGPT')
      const consent = async () => {
        const rows = await auditOf(school, () => aPair(world, school, client, person, READ))
        return rows.filter(({ action }) => action.startsWith('client.'))
      }
      const row = {
        outcome: 'ok',
        client_id: client.clientId,
        actor_user_id: person.id,
        authorization_id: null,
        detail: { kind: 'vendor', via: 'consent' },
      }
      expect(await consent()).toEqual([{ action: 'client.created', ...row }])
      expect(await consent()).toEqual([])
      const uris = [CALLBACK, 'https://old.example/cb']
      await school.db.update('clients').set({ redirect_uris: uris, name: 'Old' }).execute()
      const [entry, ...more] = await consent()
      const detail = { ...row.detail, changed: { name: ['Old', 'ChatGPT'] } }
      expect(entry).toMatchObject({ action: 'client.changed', ...row, detail })
      expect(JSON.stringify(entry?.detail)).toContain('redirect_uris')
      expect(more).toEqual([])
      await school.db.update('clients').set({ deleted_at: new Date() }).execute()
      expect(await consent()).toEqual([{ action: 'client.created', ...row }])
    },
  )

  verifies(
    [
      'register.account-read.reserved',
      'authorize.scope.account-from-operator',
      'scope.account.member-only',
    ],
    'gets invalid_scope with the reason for account:read or account:write',
    async () => {
      const setup = await aPlatform()
      for (const scope of ['account:read', 'account:write', 'openid courses:read account:read']) {
        const params = expectErrorRedirect(setup, await ask(setup, { scope }), 'invalid_scope')
        expect(params.get('error_description')).toContain('operator client')
      }
    },
  )

  verifies(
    'authorize.resource.operator-optional',
    'may omit resource; a wrong one is refused',
    async () => {
      const setup = await aPlatform()
      const none = await ask(setup, { ...READ, resource: undefined })
      expect(locationOf(none)).toMatch(/^\/sign-in/)
      const wrong = await ask(setup, { ...READ, resource: 'https://other.example' })
      expectErrorRedirect(setup, wrong, 'invalid_target')
    },
  )

  test('has a warning at consent if its code goes to this device, and none for a web redirect URI', async () => {
    const setup = await aPlatform()
    const warning = 'Did you just start this app?'
    expect((await signedIn(setup, READ)).page.body).toContain(warning)
    const client = { ...setup.client, redirectUri: 'https://claude.ai/api/mcp/auth_callback' }
    const { page } = await signedIn({ ...setup, client }, READ)
    expect(page.body).not.toContain(warning)
    expect(page.body).toContain('claude.ai')
  })

  test('may hold every operator scope, and the consent page has a line for each', async () => {
    const setup = await aPlatform()
    const scope = SCOPES_OF_AUDIENCE.operator.toString()
    const { visitor, page } = await signedIn(setup, { scope })
    expectPage(page, 200)
    expect(page.body.match(/<li>/g)).toHaveLength(SCOPES_OF_AUDIENCE.operator.size)
    expect(page.body).toContain('on your behalf')
    expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
  })

  verifies(
    'client.disable.per-school',
    'that is disabled at one school is refused there, at authorize and at refresh, and works elsewhere',
    async () => {
      const [here, there] = [await aPlatform(), await aPlatform()]
      const pair = await aPair(world, here.school, here.client, here.person, READ)
      await here.school.db.update('clients').set({ disabled_at: new Date() }).execute()
      const answer = await ask(here, READ)
      expectPage(answer, 400)
      expect(answer.body).toContain('switched off')
      const refused = await refresh(world, here.school, here.client, pair.refresh_token)
      expect(refused.statusCode).toBe(401)
      expect((await ask(there, READ)).statusCode).toBe(303)
    },
  )

  test('that was deleted at a school works again after a new consent of an owner', async () => {
    const setup = await aPlatform()
    const { school, client, person } = setup
    await aPair(world, school, client, person, READ)
    await school.db.update('clients').set({ deleted_at: new Date() }).execute()
    const pair = await aPair(world, school, client, person, READ)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  })

  test('with a new redirect URI in the list: the row of the school is updated at the next consent', async () => {
    const setup = await aPlatform('Cursor')
    const { school, client, person } = setup
    await aPair(world, school, client, person, READ)
    await world.database.pool.query(
      `update vendor_platforms set redirect_uris = redirect_uris || '{https://new.example/cb}'
       where client_id = $1`,
      [client.clientId],
    )
    const moved = { ...client, redirectUri: 'https://new.example/cb' }
    await aPair(world, school, moved, person, READ)
    expect((await rowsOf(setup))[0]?.redirect_uris).toContain('https://new.example/cb')
  })
})

verifies(
  [
    'client.member.no-self-registration',
    'register.unknown.refused',
    'register.unknown.whatever-body',
  ],
  'no other client can register, with any body',
  async () => {
    const school = await world.aSchool()
    for (const body of [
      { client_name: 'My App', redirect_uris: [CALLBACK], scope: 'account:read' },
      { client_name: 'claude' },
      { client_name: 'Claude ' },
      { client_name: ['Claude'] },
      { redirect_uris: [CALLBACK] },
      {},
    ]) {
      const answer = await register({ school }, body)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).toBe('invalid_client_metadata')
    }
    const form = await postForm(world, school, '/api/oauth/register', { client_name: 'Unknown' })
    expect(form.json().error).toBe('invalid_client_metadata')
    expect(await school.db.from('clients').selectAll().execute()).toEqual([])
  },
)
