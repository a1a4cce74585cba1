import type { InjectOptions } from 'fastify'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { post, request } from '../../flows/mcp/tool-endpoint.ts'
import { performAdminActions } from '../../support/admin-actions.ts'
import { anOperator } from '../../support/admin-api.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { FORM_CASES } from '../../support/admin-form-cases.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, postForm, refresh, revoke, userinfo } from '../../support/client-like.ts'
import { addExamples, publishExamples } from '../../support/example-school.ts'
import { aToken, postGraphQL } from '../../support/member-api.ts'
import { getFrom } from '../../support/oauth-world.ts'
import { signedIn } from '../../support/operator-like.ts'
import type { TestSchool, World } from '../../support/world.ts'
import type { FuzzedRequest } from './mutate.ts'

/** An honest request, by the surface that answers it. */
export interface Seed extends FuzzedRequest {
  readonly surface: string
}

/** No notification has it. */
const NOTIFICATION = '01981c5e-7c00-7000-8000-0000000ba001'

const WELL_KNOWN = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/jwks.json',
  '/api/oauth/jwks',
  '/clients/none.json',
  '/openapi.json',
  '/healthz',
  '/readyz',
]

const PAGES = [
  '/',
  '/docs',
  '/docs/rest',
  '/sign-in',
  '/sign-in?return_to=%2Faccount',
  '/account',
  '/account/settings',
  '/account/apps',
  '/account/password',
  '/forgotten-password',
  '/courses/first',
  '/events/evening',
  '/posts/hello',
  '/pages/imprint',
  '/member/explorer',
  '/admin',
  '/admin/posts?search=a&sort=title&state=draft',
  '/admin/people',
  '/admin/audit',
  '/admin/clients',
  '/admin/applications',
  '/admin/analytics',
]

const QUERIES = [
  '{ viewer { id email enrolledCourses { nodes { id title sections { title lectures { id title } } } } } }',
  'query Q($n: Int = 5, $a: String) { viewer { notifications(first: $n, after: $a) { nodes { id title } pageInfo { endCursor hasNextPage } } } }',
  '{ viewer { payments(first: 3) { nodes { id amount } } } school { name } }',
  'mutation M($id: ID!) { markNotificationRead(id: $id) { notification { id } unreadNotificationCount } }',
  '{ __schema { types { name fields { name type { name kind ofType { name } } } } } }',
  'query A @include(if: true) { ...F } fragment F on Query { __typename }',
]

/**
 * Honest requests to every surface of a school, recorded while an owner, a member, an application
 * and an assistant use it.
 */
export async function recordSeeds(world: World, school: TestSchool): Promise<readonly Seed[]> {
  const seeds: Seed[] = []
  let surface = ''
  const inject = world.app.inject.bind(world.app)
  const record = ({ method = 'GET', url, headers = {}, payload }: InjectOptions): void => {
    if (surface === '' || typeof url !== 'string') return
    const sent = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!sent) return
    seeds.push({ surface, method, url, headers: headers as Record<string, string>, payload })
  }
  Object.assign(world.app, {
    inject: (options: InjectOptions) => {
      record(options)
      return inject(options)
    },
  })
  const during = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    surface = name
    try {
      await work()
    } finally {
      surface = ''
    }
  }
  try {
    await addExamples(world, school)
    await publishExamples(school)
    const client = await world.aConfidentialClient(school)
    const member = await world.aMember(school)
    const owner = await world.aMember(school, ['owner'])

    await during('oauth', async () => {
      const pair = await aPair(world, school, client, member)
      await userinfo(world, school, pair.access_token)
      await refresh(world, school, client, pair.refresh_token)
      const form = { client_id: client.clientId, client_secret: client.secret ?? '' }
      await postForm(world, school, '/api/oauth/introspect', { ...form, token: pair.access_token })
      await revoke(world, school, client, pair.refresh_token)
      await postForm(world, school, '/api/oauth/register', { client_name: 'Claude' })
      const json = { 'content-type': 'application/json', host: new URL(school.origin).host }
      const body = { client_name: 'Claude', redirect_uris: ['https://claude.ai/callback'] }
      await world.app.inject({
        method: 'POST',
        url: '/api/oauth/register',
        headers: json,
        payload: JSON.stringify(body),
      })
      await getFrom(world, school, `/oauth/logout?id_token_hint=${pair.id_token}&state=s`)
    })
    await during('well-known', async () => {
      for (const path of WELL_KNOWN) await getFrom(world, school, path)
    })

    const visitor = await signedIn(world, school, owner)
    await during('pages', async () => {
      for (const path of PAGES) {
        await new Visitor(world, school).get(path)
        await visitor.get(path)
      }
      const stranger = new Visitor(world, school)
      const page = await stranger.get('/forgotten-password').catch(() => undefined)
      if (page?.statusCode === 200 && page.body.includes('action="/forgotten-password"')) {
        const hidden = hiddenFields(page.body, '/forgotten-password')
        await stranger.post('/forgotten-password', { ...hidden, email: member.email })
      }
    })
    const browser = new AdminBrowser(visitor)
    const lecturer = await world.aMember(school, ['lecturer'])
    await during('admin forms', async () => {
      for (const prepare of Object.values(FORM_CASES)) {
        const setup = { world, school, browser, student: member, lecturer }
        const { form, good } = await prepare(setup)
        await browser.send(form, good).catch(() => undefined)
      }
      const student = await world.aMember(school)
      await performAdminActions({ browser, owner: visitor, student }).catch(() => undefined)
    })

    const operator = await anOperator(world, school)
    await during('REST', async () => {
      for (const route of ROUTES) {
        for (const { input } of route.operation.examples) await operator.perform(route, input)
      }
    })
    await during('import and export', async () => {
      for (const { method, path, kind } of BULK_ROUTES) {
        if (method === 'GET') await operator.get(`${path}?format=csv`)
        else {
          const headers = { 'content-type': 'application/x-ndjson' }
          const body = `${JSON.stringify(kind.example)}\n`
          await operator.send('POST', `${path}?dry_run=true`, { body, headers })
          const names = Object.keys(kind.example).join()
          const csv = `${names}\n${Object.values(kind.example).map(String).join()}\n`
          const csvHeaders = { 'content-type': 'text/csv' }
          await operator.send('POST', path, { body: csv, headers: csvHeaders })
        }
      }
    })

    const memberToken = await aToken(world, school, member)
    await during('Member API', async () => {
      for (const query of QUERIES) {
        const variables = { id: NOTIFICATION, n: 3 }
        await postGraphQL(world, school, memberToken, { query, variables })
      }
    })
    await during('tools', async () => {
      for (const token of [undefined, memberToken, operator.accessToken]) {
        const listed = await post(world, school, request('tools/list'), { token })
        const { tools } = listed.json<{ result: { tools: readonly { name: string }[] } }>().result
        for (const { name } of tools) {
          const given = TOOL_ARGUMENTS[name] ?? {}
          await post(world, school, request('tools/call', { name, arguments: given }), { token })
        }
        await post(world, school, request('ping'), { token })
      }
      for (const route of ROUTES) {
        const { name, examples } = route.operation
        const input = examples[0]?.input ?? {}
        const tool = operatorTool(name)
        const params = { name: tool, arguments: { action: name, input } }
        const { accessToken: token } = operator
        await post(world, school, request('tools/call', params), { token })
      }
    })
    return seeds
  } finally {
    Object.assign(world.app, { inject })
  }
}

const TOOL_ARGUMENTS: Readonly<Record<string, object>> = {
  search: { query: 'first' },
  fetch: { id: 'post:hello' },
  get_course: { slug: 'first' },
  list_posts: { search: 'a', limit: 3 },
  my_course: { slug: 'first' },
  mark_notification_read: { id: NOTIFICATION },
  update_notification_subscription: { topic: 'courses', channel: 'email', enabled: false },
}

/** Any of them: the endpoint says which tool has an action. */
function operatorTool(operation: string): string {
  return /\.(list|read)$/.test(operation) ? 'read_teaching' : 'change_teaching'
}
