import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { MetadataClients } from '../../src/domain/clients/metadata-clients.ts'
import type { School } from '../../src/domain/schools/school.ts'
import { plainServer } from '../net/test-server.ts'
import { verifies } from '../spec/verifies.ts'
import {
  ask,
  expectErrorRedirect,
  expectHeldRedirect,
  expectPage,
  locationOf,
  type Setup,
  signedIn,
} from '../support/authorization.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { auditOf } from '../support/oauth-world.ts'
import { aTool } from '../support/tools.ts'
import { aWorld, CALLBACK, type TestClient, type World } from '../support/world.ts'

const world = await aWorld({ loopbackDocuments: true, documentHosts: ['127.0.0.1', 'localhost'] })
/** Fetches documents from loopback too, but permits no host for all schools. */
const strict = await aWorld({ loopbackDocuments: true })
const READ = 'openid courses:read'

interface Published {
  readonly client: TestClient
  /** How often the server was asked for the document. */
  readonly fetches: () => number
  /** Replaces members of the document. */
  readonly change: (members: object) => void
  /** Makes every later fetch fail, with a 500 unless told otherwise. */
  readonly breakDown: (answer?: Failing) => void
  readonly repair: () => void
}

type Failing = (response: ServerResponse, document: Record<string, unknown>) => unknown

const failing: Failing = (response) => response.writeHead(500).end()

const sendJson = (response: ServerResponse, document: object) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(document))
}

/** A client that publishes its document on this machine. */
async function aDocument(members: object = {}, path = '/client.json'): Promise<Published> {
  let fetches = 0
  let answer: Failing = sendJson
  let document: Record<string, unknown> = {}
  const port = await plainServer((_request, response) => {
    fetches += 1
    answer(response, document)
  })
  const clientId = `http://127.0.0.1:${port}${path}`
  document = { client_id: clientId, client_name: 'Tool', redirect_uris: [CALLBACK], ...members }
  return {
    client: { clientId, secret: undefined, redirectUri: CALLBACK },
    fetches: () => fetches,
    change: (changed) => {
      document = { ...document, ...changed }
    },
    breakDown: (broken = failing) => {
      answer = broken
    },
    repair: () => {
      answer = sendJson
    },
  }
}

/**
 * A client that is read on the web: its document was fetched a moment ago, and it redirects to its
 * own host.
 */
async function anAppOnTheWeb(): Promise<Setup> {
  const host = `app-${++apps}.example`
  const [url, redirectUri] = [`https://${host}/client.json`, `https://${host}/callback`]
  await world.database.db
    .insertInto('client_documents')
    .values({
      url,
      document: JSON.stringify({ clientId: url, name: 'Tool', redirectUris: [redirectUri] }),
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute()
  const school = await world.aSchool({ openRegistration: true })
  const client = { clientId: url, secret: undefined, redirectUri }
  return { world, school, client, person: await world.aMember(school, ['owner']) }
}

let apps = 0

async function aStageFor(
  { client }: Published,
  at: World = world,
  options: Parameters<World['aSchool']>[0] = {},
): Promise<Setup> {
  const school = await at.aSchool(options)
  return { world: at, school, client, person: await at.aMember(school, ['owner']) }
}

const rowOf = ({ school, client }: Setup) =>
  school.db.from('clients').selectAll().where('client_id', '=', client.clientId).executeTakeFirst()

const expireCache = (at: World) =>
  at.database.pool.query("update client_documents set expires_at = now() - interval '1 minute'")

/** Other processes on the same database. */
const sibling = await aWorld({ ...world.context })
const restarted = await aWorld({ ...world.context })

const keptCopy = async ({ clientId }: TestClient) =>
  await world.database.db
    .selectFrom('client_documents')
    .selectAll()
    .where('url', '=', clientId)
    .executeTakeFirstOrThrow()

/** Moves the times of one copy back, because the database's clock decides. */
const ageCopy = ({ clientId }: TestClient, interval: string, at: World = world) =>
  at.database.pool.query(
    `update client_documents set fetched_at = fetched_at - $2::interval,
       expires_at = expires_at - $2::interval where url = $1`,
    [clientId, interval],
  )

describe('a client that brings its own document', () => {
  verifies(
    [
      'cimd.url-as-client-id',
      'cimd.host.allowlisted',
      'client.id.document-url',
      'client.installation-wide.local-row',
      'trouble.no-way-in-for-agents',
      'trouble.own-host-blocked',
      'flow.operator.same-steps',
    ],
    'completes the flow without registration; its row is written at consent, not before',
    async () => {
      const setup = await aStageFor(await aDocument())
      const { visitor, page } = await signedIn(setup, { scope: READ })
      expectPage(page, 200)
      expect(await rowOf(setup)).toBeUndefined()
      expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
      expect(await rowOf(setup)).toMatchObject({
        kind: 'document',
        audience: 'operator',
        confidential: false,
        reviewed_at: null,
      })
      const pair = await aPair(world, setup.school, setup.client, setup.person, { scope: READ })
      expect(pair).not.toHaveProperty('school_id')
      expect((await userinfo(world, setup.school, pair.access_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'house.audit.events',
    'gets an audit row with its first consent at a school and when its document changed, else none',
    async () => {
      const document = await aDocument()
      const { school, client, person } = await aStageFor(document)
      const consent = async () => {
        const rows = await auditOf(school, () =>
          aPair(world, school, client, person, { scope: READ }),
        )
        return rows.filter(({ action }) => action.startsWith('client.'))
      }
      const row = {
        outcome: 'ok',
        client_id: client.clientId,
        actor_user_id: person.id,
        authorization_id: null,
        detail: { kind: 'document', via: 'consent' },
      }
      expect(await consent()).toEqual([{ action: 'client.created', ...row }])
      expect(await consent()).toEqual([])
      document.change({ client_name: 'Renamed' })
      await expireCache(world)
      const changed = { name: ['Tool', 'Renamed'] }
      const detail = { ...row.detail, changed }
      expect(await consent()).toEqual([{ action: 'client.changed', ...row, detail }])
    },
  )

  verifies(
    'client.installation-wide.local-row',
    'gets no row when the person presses Deny',
    async () => {
      const setup = await aStageFor(await aDocument())
      const { visitor, page } = await signedIn(setup, { scope: READ })
      expectErrorRedirect(setup, await visitor.decide(page, 'deny'), 'access_denied')
      expect(await rowOf(setup)).toBeUndefined()
    },
  )

  verifies(
    ['pages.consent.document-client', 'cimd.name.falls-back-to-host'],
    'is shown with its host, its redirect host and as not reviewed; without a name, by its host',
    async () => {
      const named = await signedIn(await aStageFor(await aDocument()), { scope: READ })
      expect(named.page.body).toContain('Not reviewed by')
      expect(named.page.body).toMatch(/Published at<\/dt><dd><bdi[^>]*>127\.0\.0\.1:\d+</)
      expect(named.page.body).toMatch(/Sends you back to<\/dt><dd><bdi[^>]*>127\.0\.0\.1</)
      expect(named.page.body).toContain('your own device')
      const nameless = await aStageFor(await aDocument({ client_name: undefined }))
      const { page } = await signedIn(nameless, { scope: READ })
      expect(page.body).toMatch(/<h1[^>]*><bdi class="name">127\.0\.0\.1<\/bdi> wants to/)
    },
  )

  for (const file of [
    'claude',
    'claude-code',
    'chatgpt',
    'chatgpt-connector',
    'vscode',
    'copilot-cli',
    'native-tool',
  ]) {
    verifies(
      'cimd.unknown-members.ignored',
      `works with a copy of ${file} that is served from this machine`,
      async () => {
        const fixture = new URL(`../fixtures/client-documents/${file}.json`, import.meta.url)
        const { client_id, redirect_uris, ...shape } = JSON.parse(readFileSync(fixture, 'utf8'))
        const { hostname, pathname } = new URL(client_id)
        const moved = redirect_uris.map((uri: string) => uri.replace(hostname, '127.0.0.1'))
        const document = await aDocument({ ...shape, redirect_uris: moved }, pathname)
        for (const redirectUri of moved) {
          const client = { ...document.client, redirectUri }
          const setup = { ...(await aStageFor(document)), client }
          const pair = await aPair(world, setup.school, client, setup.person, { scope: READ })
          expect(pair.scope.split(' ').sort()).toEqual(['courses:read', 'openid'])
        }
        expect(document.fetches()).toBe(1)
      },
    )
  }
})

describe('which hosts are permitted', () => {
  verifies(
    'cimd.host.refused',
    'any other host gets a page that names the host and where to permit it, and is not fetched',
    async () => {
      const document = await aDocument()
      const setup = await aStageFor(document, strict)
      // Discovery announces documents then, so an assistant sends its own.
      await aTool(strict, setup.school)
      const answer = await ask(setup, { scope: READ })
      expectPage(answer, 400)
      expect(answer.body).toMatch(/can permit\s+<bdi[^>]*>127\.0\.0\.1/)
      expect(answer.body).toContain('href="/admin/clients"')
      expect(document.fetches()).toBe(0)
    },
  )

  verifies(
    'cimd.host.refused',
    'a broken document of a permitted host is for its developer: the page does not say to permit it',
    async () => {
      const document = await aDocument({ redirect_uris: ['https://evil.example/callback'] })
      const answer = await ask(await aStageFor(document), { scope: READ })
      expectPage(answer, 400)
      expect(answer.body).not.toContain('can permit')
      expect(answer.body).toContain('Only the developer of the app can fix this')
    },
  )

  verifies(
    ['cimd.host.open-registration', 'cimd.advertised'],
    'open registration permits every host at that school only, and discovery says so',
    async () => {
      const document = await aDocument()
      const open = await aStageFor(document, strict, { openRegistration: true })
      const closed = await aStageFor(document, strict)
      const advertised = async ({ school }: Setup) => {
        const url = '/.well-known/oauth-authorization-server'
        const headers = { host: new URL(school.origin).host }
        const answer = await strict.app.inject({ url, headers })
        return answer.json().client_id_metadata_document_supported
      }
      expectPage(await ask(closed, { scope: READ }), 400)
      expect(await advertised(closed)).toBe(false)
      expect(locationOf(await ask(open, { scope: READ }))).toMatch(/^\/sign-in/)
      expect(await advertised(open)).toBe(true)
      // The cached document does not permit the host at the other school.
      expectPage(await ask(closed, { scope: READ }), 400)
    },
  )

  verifies('cimd.host.allowlisted', 'a school can permit a host', async () => {
    const document = await aDocument()
    const setup = await aStageFor(document, strict, { documentHosts: ['127.0.0.1'] })
    expect(locationOf(await ask(setup, { scope: READ }))).toMatch(/^\/sign-in/)
    const other = await aStageFor(document, strict, { documentHosts: ['127.0.0.2', 'localhost'] })
    expectPage(await ask(other, { scope: READ }), 400)
  })

  verifies(
    ['cimd.http-loopback-demo', 'cimd.https-only', 'trouble.document-fetch-ssrf'],
    'outside the demo, http and loopback are refused even for a permitted host',
    async () => {
      const live = await aWorld({ documentHosts: ['127.0.0.1', 'localhost', 'app.example'] })
      const document = await aDocument()
      const setup = await aStageFor(document, live, { openRegistration: true })
      for (const clientId of [
        document.client.clientId,
        'http://app.example/client.json',
        'https://127.0.0.1/client.json',
        'https://localhost/client.json',
        'https://[::1]/client.json',
        'https://10.0.0.1/client.json',
        'https://app.example:8443/client.json',
        'https://app.example/',
        'https://app.example/a?b=c',
        'https://user@app.example/client.json',
      ]) {
        const client = { ...setup.client, clientId }
        expectPage(await ask({ ...setup, client }, { scope: READ }), 400)
      }
      expect(document.fetches()).toBe(0)
    },
  )
})

describe('scopes of a client with a document', () => {
  verifies(
    [
      'cimd.unreviewed.scopes',
      'cimd.unreviewed.never-account-read',
      'authorize.scope.account-from-operator',
    ],
    'not reviewed: identity and read scopes, never account:read',
    async () => {
      const setup = await aStageFor(await aDocument())
      const granted = 'openid profile email courses:read orders:read school:read'
      expect(locationOf(await ask(setup, { scope: granted }))).toMatch(/^\/sign-in/)
      for (const scope of [
        'courses:write',
        'openid storage:write',
        'account:read',
        'account:write',
      ]) {
        expectErrorRedirect(setup, await ask(setup, { scope }), 'invalid_scope')
      }
    },
  )

  verifies(
    ['cimd.unreviewed.no-redirect', 'rfc9700.untrusted-redirect'],
    'an open redirector: a document whose owner breaks its own request gets a page, until it is reviewed',
    async () => {
      const setup = await anAppOnTheWeb()
      const broken: [Record<string, string | undefined>, string][] = [
        [{ response_type: 'nonsense' }, 'unsupported_response_type'],
        [{ scope: 'nonsense' }, 'invalid_scope'],
        [{ code_challenge: undefined }, 'invalid_request'],
        [{ resource: 'https://other.example' }, 'invalid_target'],
        [{ prompt: 'nonsense' }, 'invalid_request'],
        [{ prompt: 'none' }, 'login_required'],
        [{ request: 'x' }, 'request_not_supported'],
      ]
      for (const [parameters, error] of broken) {
        const answer = await ask(setup, { scope: READ, ...parameters })
        expectHeldRedirect(setup, answer, error)
      }
      const { visitor } = await signedIn(setup, { scope: READ })
      const silent = await ask(setup, { scope: READ, prompt: 'none' }, visitor)
      expectHeldRedirect(setup, silent, 'consent_required')
      await aPair(world, setup.school, setup.client, setup.person, { scope: READ })
      await setup.school.db.update('clients').set({ reviewed_at: new Date() }).execute()
      for (const [parameters, error] of broken) {
        expectErrorRedirect(setup, await ask(setup, { scope: READ, ...parameters }), error)
      }
    },
  )

  verifies(
    'cimd.unreviewed.loopback',
    'a program on the computer of the person waits for its answer: only a callback that its document names gets it',
    async () => {
      const setup = await aStageFor(await aDocument())
      const there = {
        ...setup,
        client: { ...setup.client, redirectUri: 'http://127.0.0.1:4321/callback' },
      }
      expectErrorRedirect(there, await ask(there, { scope: 'courses:write' }), 'invalid_scope')
      for (const redirectUri of [
        'http://127.0.0.1:4321/other',
        'http://localhost/callback',
        'https://127.0.0.1/callback',
      ]) {
        const wrong = { ...setup, client: { ...setup.client, redirectUri } }
        expectPage(await ask(wrong, { scope: 'courses:write' }), 400)
      }
      const clientId = `${setup.client.clientId}-that-is-not-there`
      const unproven = await aStageFor(await aDocument())
      const stranger = { ...unproven, client: { ...unproven.client, clientId } }
      expectPage(await ask(stranger, { scope: 'courses:write' }), 400)
    },
  )

  verifies(
    ['cimd.review.lifts-limit', 'client.disable.per-school'],
    'reviewed by an operator: write scopes, only at that school; disabling also is per school',
    async () => {
      const document = await aDocument()
      const [here, there] = [await aStageFor(document), await aStageFor(document)]
      for (const { school, client, person } of [here, there]) {
        await aPair(world, school, client, person, { scope: READ })
      }
      await here.school.db.update('clients').set({ reviewed_at: new Date() }).execute()
      const write = { scope: 'courses:write' }
      const pair = await aPair(world, here.school, here.client, here.person, write)
      expect(pair.scope).toBe('courses:write')
      expectErrorRedirect(there, await ask(there, write), 'invalid_scope')
      const { page } = await signedIn(here, write)
      expect(page.body).not.toContain('Not reviewed')
      await here.school.db.update('clients').set({ disabled_at: new Date() }).execute()
      expectPage(await ask(here, { scope: READ }), 400)
      expect((await ask(there, { scope: READ })).statusCode).toBe(303)
    },
  )

  test('deleted at a school it can return with a new consent, and without its review', async () => {
    const setup = await aStageFor(await aDocument())
    const { school, client, person } = setup
    await aPair(world, school, client, person, { scope: READ })
    const gone = { reviewed_at: new Date(), deleted_at: new Date() }
    await school.db.update('clients').set(gone).execute()
    expectErrorRedirect(setup, await ask(setup, { scope: 'courses:write' }), 'invalid_scope')
    const pair = await aPair(world, school, client, person, { scope: READ })
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect(await rowOf(setup)).toMatchObject({ deleted_at: null, reviewed_at: null })
  })
})

describe('fetching a document', () => {
  verifies(
    'cimd.fetch.at-authorization-only',
    'happens only at authorization: with its host down and a stale copy, tokens refresh and work',
    async () => {
      const document = await aDocument()
      const setup = await aStageFor(document)
      const { school, client, person } = setup
      const pair = await aPair(world, school, client, person, { scope: READ })
      const fetched = document.fetches()
      document.breakDown()
      await expireCache(world)
      const answer = await refresh(world, school, client, pair.refresh_token)
      expect(answer.statusCode).toBe(200)
      const { access_token } = answer.json()
      expect((await userinfo(world, school, access_token)).statusCode).toBe(200)
      expect(document.fetches()).toBe(fetched)
    },
  )

  verifies(
    ['cimd.cache.bounds', 'cimd.cache.failures'],
    'happens at most once in five minutes for all processes; a failure is not repeated for a minute',
    async () => {
      const document = await aDocument()
      const setup = await aStageFor(document)
      await Promise.all([ask(setup, { scope: READ }), ask(setup, { scope: READ })])
      expect((await ask({ ...setup, world: sibling }, { scope: READ })).statusCode).toBe(303)
      expect(document.fetches()).toBe(1)
      const lifetime = async () => {
        const { rows } = await world.database.pool.query<{ seconds: number }>(
          `select extract(epoch from expires_at - fetched_at)::int as seconds
           from client_documents where url = $1`,
          [setup.client.clientId],
        )
        return rows[0]?.seconds
      }
      expect(await lifetime()).toBe(300)
      const away = await aDocument()
      away.breakDown()
      const unlucky = await aStageFor(away)
      for (let i = 0; i < 3; i++) expectPage(await ask(unlucky, { scope: READ }), 400)
      expect(away.fetches()).toBe(1)
      // Another process does not know of the failure: errors are never stored.
      away.repair()
      expect((await ask({ ...unlucky, world: sibling }, { scope: READ })).statusCode).toBe(303)
      expect((await ask(unlucky, { scope: READ })).statusCode).toBe(303)
    },
  )

  test('happens again at consent if the copy is stale: a removed redirect URI is not used', async () => {
    const document = await aDocument()
    const setup = await aStageFor(document)
    const { visitor, page } = await signedIn(setup, { scope: READ })
    document.change({ redirect_uris: ['http://127.0.0.1/elsewhere'] })
    await expireCache(world)
    expectPage(await visitor.decide(page, 'allow'), 400)
    expect(await rowOf(setup)).toBeUndefined()
  })

  verifies(
    'cimd.fetch.rate-limited',
    'is limited per IP address: then 429 with Retry-After, while cached documents still work',
    async () => {
      const limits = { ...world.context.limits, documentPerMinute: 2 }
      const limited = await aWorld({
        loopbackDocuments: true,
        documentHosts: ['127.0.0.1'],
        limits,
      })
      const documents = [await aDocument(), await aDocument(), await aDocument()]
      const [first, second, third] = await Promise.all(
        documents.map((document) => aStageFor(document, limited)),
      )
      if (!first || !second || !third) throw new Error('three were made')
      expect((await ask(first, { scope: READ })).statusCode).toBe(303)
      expect((await ask(second, { scope: READ })).statusCode).toBe(303)
      const refused = await ask(third, { scope: READ })
      expectPage(refused, 429)
      expect(refused.headers['retry-after']).toBe('60')
      expect((await ask(first, { scope: READ })).statusCode).toBe(303)
      expect(documents[2]?.fetches()).toBe(0)
    },
  )
})

describe('the last good copy of a document', () => {
  const failures: Record<string, Failing> = {
    'a server error': failing,
    'not found': (response) => response.writeHead(404).end(),
    'a page instead of JSON': (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
    'a redirect': (response) => response.writeHead(302, { location: '/elsewhere.json' }).end(),
    'a broken connection': (response) => response.destroy(),
    'JSON that breaks off': (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"client_id":'),
    'more than 5 KB': (response, document) =>
      sendJson(response, { ...document, padding: 'x'.repeat(6000) }),
    'the client_id of another client': (response, document) =>
      sendJson(response, { ...document, client_id: 'https://claude.ai/oauth/client.json' }),
    'a redirect URI on another host': (response, document) =>
      sendJson(response, { ...document, redirect_uris: ['https://evil.example/cb'] }),
  }
  for (const [what, broken] of Object.entries(failures)) {
    verifies(
      ['cimd.cache.last-good', 'cimd.cache.last-good.ends'],
      `serves for seven days if the host answers with ${what}, and then no more`,
      async () => {
        const document = await aDocument()
        const setup = await aStageFor(document)
        const { school, client, person } = setup
        await aPair(world, school, client, person, { scope: READ })
        const copy = await keptCopy(client)
        document.breakDown(broken)
        await ageCopy(client, '6 days 23 hours')
        await aPair(world, school, client, person, { scope: READ })
        expect(document.fetches()).toBe(2)
        expect((await keptCopy(client)).document).toEqual(copy.document)
        expect((await ask({ ...setup, world: sibling }, { scope: READ })).statusCode).toBe(303)
        expect(document.fetches()).toBe(3)

        await ageCopy(client, '1 hour')
        for (const at of [world, sibling]) {
          const refused = await ask({ ...setup, world: at }, { scope: READ })
          expectPage(refused, 400)
          expect(refused.body).toContain('The last good copy is more than 7 days old')
        }
        document.repair()
        expect((await ask({ ...setup, world: restarted }, { scope: READ })).statusCode).toBe(303)
        expect((await ask(setup, { scope: READ })).statusCode).toBe(303)
      },
    )
  }

  verifies(
    'cimd.cache.last-good',
    'is replaced by a document that was accepted: a removed redirect URI no longer works',
    async () => {
      const document = await aDocument()
      const setup = await aStageFor(document)
      await ask(setup, { scope: READ })
      document.change({ redirect_uris: ['http://127.0.0.1/elsewhere'] })
      await ageCopy(setup.client, '10 minutes')
      expectPage(await ask(setup, { scope: READ }), 400)
      document.breakDown()
      await ageCopy(setup.client, '10 minutes')
      expectPage(await ask(setup, { scope: READ }), 400)
      const moved = { ...setup.client, redirectUri: 'http://127.0.0.1/elsewhere' }
      expect((await ask({ ...setup, client: moved }, { scope: READ })).statusCode).toBe(303)
    },
  )

  verifies(
    ['cimd.cache.last-good', 'cimd.fetch.rate-limited'],
    'serves also while too many documents are being fetched; a client without one gets 429',
    async () => {
      const limits = { ...world.context.limits, documentPerMinute: 1 }
      const limited = await aWorld({
        loopbackDocuments: true,
        documentHosts: ['127.0.0.1'],
        limits,
      })
      const setup = await aStageFor(await aDocument(), limited)
      expect((await ask(setup, { scope: READ })).statusCode).toBe(303)
      await ageCopy(setup.client, '1 day', limited)
      expect((await ask(setup, { scope: READ })).statusCode).toBe(303)
      expectPage(await ask(await aStageFor(await aDocument(), limited), { scope: READ }), 429)
      await ageCopy(setup.client, '7 days', limited)
      expectPage(await ask(setup, { scope: READ }), 429)
    },
  )

  verifies('cimd.cache.last-good', 'is used with a warning in the log', async () => {
    const lines: string[] = []
    const document = await aDocument()
    const setup = await aStageFor(document)
    await ask(setup, { scope: READ })
    document.breakDown()
    await ageCopy(setup.client, '1 day')
    const logging = await aWorld({
      ...world.context,
      log: { write: (line) => lines.push(line) },
    })
    expect((await ask({ ...setup, world: logging }, { scope: READ })).statusCode).toBe(303)
    const warning = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'warn')
    expect(warning).toMatchObject({
      clientId: setup.client.clientId,
      why: 'The client metadata document cannot be used. The server answered 500 instead of 200.',
    })
  })

  test('a failure that an older release stored counts as no copy', async () => {
    const document = await aDocument()
    const setup = await aStageFor(document)
    await world.database.pool.query(
      `insert into client_documents (url, failure, expires_at) values ($1, 'away', now() + interval '1 hour')`,
      [setup.client.clientId],
    )
    expect((await ask(setup, { scope: READ })).statusCode).toBe(303)
    expect(await keptCopy(setup.client)).toMatchObject({ failure: null })
  })
})

/** A server that answers nothing until it is released, and requests for its metadata. */
async function slowHost() {
  const metadataClients = new MetadataClients({
    hosts: ['127.0.0.1'],
    loopbackHttp: true,
    mayFetch: () => true,
  })
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let asked = 0
  const port = await plainServer(async (_request, response) => {
    asked += 1
    await released
    response.writeHead(404).end()
  })
  const aSchool = async (): Promise<School> => {
    const school = await world.context.directory.find((await world.aSchool()).origin)
    if (school === undefined) throw new Error('the school was just created')
    return school
  }
  return {
    aSchool,
    asked: () => asked,
    release: () => release(),
    resolve: (school: School, path: string, address: string) => {
      const url = { href: `http://127.0.0.1:${port}/${path}`, host: '127.0.0.1' }
      return metadataClients.resolve(world.database.db, school, url, address)
    },
    resolveGood: async (school: School, address: string) => {
      const { client } = await aDocument()
      const url = { href: client.clientId, host: '127.0.0.1' }
      return await metadataClients.resolve(world.database.db, school, url, address)
    },
  }
}

verifies(
  'cimd.fetch.rate-limited',
  'an attacker who names slow hosts delays only their own requests',
  async () => {
    const { aSchool, asked, release, resolve, resolveGood } = await slowHost()
    const school = await aSchool()
    const slow = [resolve(school, 'a', '192.0.2.1'), resolve(school, 'b', '192.0.2.1')]
    await expect.poll(asked).toBe(2)
    expect(await resolve(school, 'c', '192.0.2.1')).toMatchObject({ retryAfterSeconds: 60 })
    expect(await resolveGood(school, '192.0.2.2')).toMatchObject({ ok: true })
    release()
    expect(await Promise.all(slow)).toMatchObject([{ ok: false }, { ok: false }])
  },
)

verifies(
  'cimd.fetch.rate-limited',
  'one IPv6 network cannot hold all fetches by calling from many of its addresses',
  async () => {
    const { aSchool, asked, release, resolve, resolveGood } = await slowHost()
    const school = await aSchool()
    const slow = ['a', 'b'].map((path, n) => resolve(school, path, `2001:db8:1:2::${n}`))
    await expect.poll(asked).toBe(2)
    for (const address of ['2001:db8:1:2::3', '2001:db8:1:2:ffff::4']) {
      expect(await resolve(school, 'c', address)).toMatchObject({ retryAfterSeconds: 60 })
    }
    expect(await resolveGood(school, '2001:db8:9::1')).toMatchObject({ ok: true })
    release()
    expect(await Promise.all(slow)).toMatchObject([{ ok: false }, { ok: false }])
  },
)

verifies(
  'cimd.fetch.rate-limited',
  'slow hosts at one school, named from many networks, leave a fetch for another school',
  async () => {
    const { aSchool, asked, release, resolve, resolveGood } = await slowHost()
    const flooded = await aSchool()
    const slow = [...'abcdefgh'].map((path, n) => resolve(flooded, path, `192.0.2.${n}`))
    // Three are being fetched and four wait; the eighth is refused before any of them is answered.
    expect(await Promise.race(slow)).toMatchObject({ retryAfterSeconds: 60 })
    await expect.poll(asked).toBe(3)
    expect(await resolveGood(await aSchool(), '192.0.2.10')).toMatchObject({ ok: true })
    release()
    expect(await Promise.all(slow)).toMatchObject(Array(8).fill({ ok: false }))
  },
)

describe('mistakes in a document', () => {
  const spoilt: Record<string, object> = {
    'a redirect URI on another host': { redirect_uris: [CALLBACK, 'https://evil.example/cb'] },
    'a private-use scheme': { redirect_uris: ['com.example.app:/cb'] },
    'no redirect URI': { redirect_uris: [] },
    'the client_id of another client': { client_id: 'https://claude.ai/oauth/client.json' },
    'a secret': { client_secret: 'x' },
    'an authentication by key alone': { token_endpoint_auth_method: 'private_key_jwt' },
    'a name that turns the text around': { client_name: 'Tool\u202e' },
    'more than 5 KB': { padding: 'x'.repeat(6000) },
  }
  for (const [what, members] of Object.entries(spoilt)) {
    verifies(
      [
        'cimd.redirect-uris.host-or-loopback',
        'cimd.redirect-uris.one-bad-refuses-all',
        'cimd.redirect-uris.required',
        'cimd.client-id.equals-url',
        'cimd.fetch.size',
      ],
      `${what}: an error page, and no redirect to any of its redirect URIs`,
      async () => {
        expectPage(await ask(await aStageFor(await aDocument(members)), { scope: READ }), 400)
      },
    )
  }
})

verifies(
  'rfc9700.client-id-is-no-user',
  'a client_id that a client chooses is always a URL, so it never equals the id of a person',
  async () => {
    const setup = await aStageFor(await aDocument())
    for (const clientId of [setup.person.id, `urn:uuid:${setup.person.id}`, setup.person.email]) {
      expectPage(await ask({ ...setup, client: { ...setup.client, clientId } }), 400)
    }
    const pair = await aPair(world, setup.school, setup.client, setup.person, { scope: READ })
    const { sub } = (await userinfo(world, setup.school, pair.access_token)).json()
    expect(sub).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(setup.client.clientId).toMatch(/^https?:\/\//)
  },
)
