import * as openid from 'openid-client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { judgeDocument } from '../../src/domain/clients/client-metadata.ts'
import { disableClient, enableClient } from '../../src/domain/clients/client-operations.ts'
import { changeTool, deleteTool } from '../../src/domain/clients/tool-operations.ts'
import type { FinishedRequest } from '../../src/foundation/http/observe-requests.ts'
import { listenForSchoolChanges } from '../../src/start/server.ts'
import { verifies } from '../spec/verifies.ts'
import {
  ask,
  expectErrorRedirect,
  expectPage,
  locationOf,
  type Setup,
  signedIn,
} from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { eventually } from '../support/eventually.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { aCode, getFrom } from '../support/oauth-world.ts'
import { outputOf, performByCommandLine as perform } from '../support/performing.ts'
import { aTool, type NewTool } from '../support/tools.ts'
import { aWorld, CALLBACK, type TestSchool, type World } from '../support/world.ts'

const world = await aWorld()
const WRITE = { scope: 'openid courses:read courses:write' }
const READ = { scope: 'courses:read' }

async function aStage(fresh: Partial<NewTool> = {}, at: World = world): Promise<Setup> {
  const school = await at.aSchool()
  const client = await aTool(at, school, fresh)
  return { world: at, school, client, person: await at.aMember(school, ['owner']) }
}

const documentAt = (school: TestSchool, path: string, headers = {}) =>
  world.app.inject({ url: path, headers: { host: new URL(school.origin).host, ...headers } })

const METADATA = '/.well-known/oauth-authorization-server'
const advertised = async (school: TestSchool, at: World = world) =>
  (await getFrom(at, school, METADATA)).json().client_id_metadata_document_supported

describe('the document of a tool', () => {
  verifies(
    'tool.document.published',
    'is JSON for every origin, names its own URL, and is one that other servers accept',
    async () => {
      const { school, client } = await aStage()
      const answer = await documentAt(school, '/clients/reports.json')
      expect(answer.statusCode).toBe(200)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
      })
      expect(answer.json()).toEqual({
        client_id: `${school.origin}/clients/reports.json`,
        client_name: 'Monthly reports',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope: 'courses:read courses:write openid',
      })
      const url = { href: client.clientId, host: new URL(client.clientId).hostname }
      expect(judgeDocument(url, answer.json())).toMatchObject({ ok: true })
    },
  )

  verifies(
    'tool.document.published',
    'is 304 for a client that has it, until it changes',
    async () => {
      const { school } = await aStage()
      const read = (etag: string) =>
        documentAt(school, '/clients/reports.json', { 'if-none-match': etag })
      const etag = String((await read('')).headers.etag)
      expect((await read(etag)).statusCode).toBe(304)
      await perform(school, changeTool, { slug: 'reports', name: 'Renamed' })
      const changed = await read(etag)
      expect([changed.statusCode, changed.json().client_name]).toEqual([200, 'Renamed'])
    },
  )

  verifies(
    ['tool.deleted.gone', 'tool.never-fetched'],
    'is 404 in JSON with CORS for a slug that was deleted, never made or made at another school',
    async () => {
      const { school } = await aStage()
      const other = await aStage({ slug: 'theirs' })
      await perform(school, deleteTool, { slug: 'reports' })
      expect((await documentAt(other.school, '/clients/theirs.json')).statusCode).toBe(200)
      for (const file of ['reports.json', 'theirs.json', 'never.json', 'reports', '%00.json', '']) {
        const accept = 'text/html,application/xhtml+xml'
        const answer = await documentAt(school, `/clients/${file}`, { accept })
        expect(answer.statusCode, file).toBe(404)
        expect(answer.headers['content-type']).toContain('application/json')
        expect(answer.headers['access-control-allow-origin']).toBe('*')
      }
    },
  )

  test('answers 405 to other methods, and a preflight', async () => {
    const { school } = await aStage()
    const url = '/clients/reports.json'
    const host = new URL(school.origin).host
    const posted = await world.app.inject({ method: 'POST', url, headers: { host } })
    expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET'])
    const headers = { host, origin: 'https://x.example', 'access-control-request-method': 'GET' }
    const preflight = await world.app.inject({ method: 'OPTIONS', url, headers })
    expect(preflight.statusCode).toBe(204)
  })
})

describe('authorizing a tool', () => {
  verifies(
    ['tool.flow.operators', 'tool.never-fetched'],
    'works without a permitted host: write scopes, any loopback port, refresh and use',
    async () => {
      const { school, client, person } = await aStage()
      const redirectUri = 'http://127.0.0.1:49152/callback'
      const pair = await aPair(world, school, { ...client, redirectUri }, person, WRITE)
      expect(pair.scope.split(' ').sort()).toEqual(['courses:read', 'courses:write', 'openid'])
      expect(pair).not.toHaveProperty('school_id')
      const child = await refresh(world, school, client, pair.refresh_token)
      expect(child.statusCode).toBe(200)
      const { access_token } = child.json()
      expect((await userinfo(world, school, access_token)).statusCode).toBe(200)
    },
  )

  verifies(
    ['tool.flow.operators', 'client.operator.who-may-authorize'],
    'is for owners and admins; a student is told so',
    async () => {
      const setup = await aStage()
      const admin = await world.aMember(setup.school, ['admin'])
      await aPair(world, setup.school, setup.client, admin, READ)
      const student = await world.aMember(setup.school)
      const { page } = await signedIn({ ...setup, person: student }, READ)
      expectPage(page, 403)
    },
  )

  verifies(
    'tool.flow.operators',
    'gives no scope that its maker did not choose, and no other redirect URI',
    async () => {
      const setup = await aStage({ scopes: ['courses:read'] })
      for (const scope of ['courses:write', 'openid courses:read', 'account:read', 'nonsense']) {
        expectErrorRedirect(setup, await ask(setup, { scope }), 'invalid_scope')
      }
      for (const redirect_uri of [
        'http://127.0.0.1/other',
        'http://localhost/callback',
        `${setup.school.origin}/callback`,
      ]) {
        expectPage(await ask(setup, { ...READ, redirect_uri }), 400)
      }
    },
  )

  verifies(
    'tool.managed',
    'follows a narrowed, a disabled and an enabled tool at once',
    async () => {
      const setup = await aStage()
      const { school, client, person } = setup
      const pair = await aPair(world, school, client, person, WRITE)
      const input = { client_id: client.clientId }
      outputOf(await perform(school, disableClient, input))
      expectPage(await ask(setup, READ), 400)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(401)
      expect((await documentAt(school, '/clients/reports.json')).statusCode).toBe(200)
      outputOf(await perform(school, enableClient, input))
      const whole = await refresh(world, school, client, pair.refresh_token)
      expect(whole.json().scope).toBe('courses:read courses:write openid')
      outputOf(await perform(school, changeTool, { slug: 'reports', scopes: ['courses:read'] }))
      const narrow = await refresh(world, school, client, whole.json().refresh_token)
      expect(narrow.json().scope).toBe('courses:read')
      expectErrorRedirect(setup, await ask(setup, { scope: 'courses:write' }), 'invalid_scope')
      expect(locationOf(await ask(setup, READ))).toMatch(/^\/sign-in/)
    },
  )

  verifies(
    ['tool.deleted.gone', 'client.deleted.ends-tokens'],
    'is impossible after it was deleted, and its tokens and codes end',
    async () => {
      const setup = await aStage()
      const { school, client, person } = setup
      const pair = await aPair(world, school, client, person, READ)
      const { code, pkce } = await aCode(world, school, client, person, READ)
      const deleted = await perform(school, deleteTool, { slug: 'reports' })
      expect(outputOf(deleted)).toMatchObject({ people: 1 })
      expectPage(await ask(setup, READ), 400)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(401)
      const late = await exchange(world, school, client, code, pkce.verifier)
      expect(late.statusCode).toBe(401)
    },
  )
})

describe('an attacker who names our own addresses', () => {
  verifies(
    'tool.never-fetched',
    'cannot make the server fetch from itself, in any spelling, even with open registration',
    async () => {
      const fetched: string[] = []
      const observer = {
        finished: ({ route = 'none' }: FinishedRequest) => void fetched.push(route),
      }
      const open = await aWorld({
        loopbackDocuments: true,
        documentHosts: ['127.0.0.1'],
        observers: [observer],
      })
      const school = await aListeningSchool(open, { openRegistration: true })
      const person = await open.aMember(school, ['owner'])
      for (const clientId of [
        `${school.origin}/clients/reports.json`,
        `${school.origin}/%63lients/reports.json`,
        `${school.origin}/clients%2Freports.json`,
        `${school.origin}/x/../clients/reports.json`,
        school.origin.replace('http', 'HTTP').concat('/clients/reports.json'),
      ]) {
        const client = { clientId, secret: undefined, redirectUri: CALLBACK }
        const answer = await ask({ world: open, school, client, person }, READ)
        expectPage(answer, 400)
      }
      expect(new Set(fetched)).toEqual(new Set(['/oauth/authorize']))
    },
  )

  verifies(
    'tool.other-school',
    'gets nothing special for the tool of one school at another one: host rules, and no write scope',
    async () => {
      const both = await aWorld({ loopbackDocuments: true })
      const home = await aListeningSchool(both)
      const client = await aTool(both, home)
      const strict = await both.aSchool()
      const refused = await ask(
        { world: both, school: strict, client, person: await both.aMember(strict, ['owner']) },
        READ,
      )
      expectPage(refused, 400)
      expect(refused.body).toContain('does not permit')

      const open = await both.aSchool({ openRegistration: true })
      const setup = {
        world: both,
        school: open,
        client,
        person: await both.aMember(open, ['owner']),
      }
      expectErrorRedirect(setup, await ask(setup, { scope: 'courses:write' }), 'invalid_scope')
      const { page } = await signedIn(setup, READ)
      expect(page.body).toContain('Not reviewed by')
      await aPair(both, open, client, setup.person, READ)
      const rows = await open.db.from('clients').select(['kind', 'slug']).execute()
      expect(rows).toEqual([{ kind: 'document', slug: null }])
    },
  )
})

describe('discovery', () => {
  verifies(
    ['tool.advertised', 'cimd.advertised'],
    'announces metadata documents while the school has a tool, in this and in every other process',
    async () => {
      const school = await world.aSchool()
      const sibling = await aWorld({ connection: world.database.connection, now: () => 0 })
      const listener = await listenForSchoolChanges(sibling.context.directory, {
        connection: sibling.database.connection,
        pool: sibling.database.pool,
        onError: () => {},
      })
      onTestFinished(() => listener.stop())
      const everywhere = (expected: boolean) =>
        vi.waitFor(async () => expect(await advertised(school, sibling)).toBe(expected), eventually)
      expect(await advertised(school)).toBe(false)
      await everywhere(false)
      await aTool(world, school)
      expect(await advertised(school)).toBe(true)
      await everywhere(true)
      await perform(school, deleteTool, { slug: 'reports' })
      await everywhere(false)
    },
  )
})

verifies(
  'tool.moves-with-origin',
  'when the school moves, a tool has the new address, keeps its authorizations, and the old one is unknown',
  async () => {
    const setup = await aStage()
    const { school, client, person } = setup
    await aTool(world, school, { slug: 'gone' })
    await perform(school, deleteTool, { slug: 'gone' })
    const pair = await aPair(world, school, client, person, READ)
    const origin = `http://moved-${school.subdomain}.test`
    await world.database.pool.query('update schools set origin = $1 where id = $2', [
      origin,
      school.id,
    ])
    world.context.directory.forget()
    const moved = { ...school, origin }
    const clientId = `${origin}/clients/reports.json`
    const answer = await documentAt(moved, '/clients/reports.json')
    expect(answer.json().client_id).toBe(clientId)
    expect((await documentAt(moved, '/clients/gone.json')).statusCode).toBe(404)
    expect((await userinfo(world, moved, pair.access_token)).statusCode).toBe(200)
    await aPair(world, moved, { ...client, clientId }, person, READ)
    expectPage(await ask({ ...setup, school: moved }, READ), 400)
    const authorizations = await school.db.from('authorizations').select('client_id').execute()
    expect(new Set(authorizations.map((row) => row.client_id))).toEqual(new Set([clientId]))
  },
)

describe('openid-client with the address of a tool', () => {
  verifies(
    ['tool.flow.operators', 'flow.operator.same-steps'],
    'discovers, signs an owner in, refreshes, calls the REST API and revokes',
    async () => {
      const real = await aWorld()
      const school = await aListeningSchool(real)
      const owner = await real.aMember(school, ['owner'])
      const { clientId, redirectUri } = await aTool(real, school)
      const config = await openid.discovery(new URL(school.origin), clientId, {}, openid.None(), {
        execute: [openid.allowInsecureRequests],
      })
      expect(config.serverMetadata().client_id_metadata_document_supported).toBe(true)
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const expectedState = openid.randomState()
      const expectedNonce = openid.randomNonce()
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid courses:read',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      })
      const visitor = new Visitor(real, school)
      const signIn = await visitor.follow(await visitor.get(url.pathname + url.search))
      const consent = await visitor.follow(await visitor.signIn(signIn, owner))
      const back = await visitor.decide(consent, 'allow')
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      const callback = new URL(String(back.headers.location))
      const first = await openid.authorizationCodeGrant(config, callback, checks)
      expect(first.claims()).toMatchObject({ aud: clientId, sub: owner.id })
      const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '')
      const courses = new URL(`${school.origin}/api/v1/courses`)
      const answer = await openid.fetchProtectedResource(
        config,
        second.access_token,
        courses,
        'GET',
      )
      expect(answer.status).toBe(200)
      await openid.tokenRevocation(config, second.refresh_token ?? '')
      await expect(
        openid.refreshTokenGrant(config, second.refresh_token ?? ''),
      ).rejects.toMatchObject({ error: 'invalid_grant' })
    },
  )
})
