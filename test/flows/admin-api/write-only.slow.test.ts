import { beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk.ts'
import type { Route } from '../../../src/surfaces/admin-api/route.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { verifies } from '../../spec/verifies.ts'
import { EVERY_OPERATOR_SCOPE, OperatorClient, requestOf } from '../../support/admin-api.ts'
import type { Answer } from '../../support/browser-like.ts'
import { aPair, refresh } from '../../support/client-like.ts'
import { addExamples, clearExamples } from '../../support/example-school.ts'
import { CLAUDE } from '../../support/oauth-world.ts'
import { sharedWorld, type TestPerson, type TestSchool, type World } from '../../support/world.ts'
import { callTool, post, type Rpc, request } from '../mcp/tool-endpoint.ts'

/** A token with a write scope and without the read scope learns nothing that it did not send. */
let world: World
let school: TestSchool
let owner: TestPerson
let full: OperatorClient
/** By its only scope. All tokens are of one authorization, so that they share idempotency keys. */
const writing = new Map<string, OperatorClient>()

type Fields = Readonly<Record<string, unknown>>

const WRITES = ROUTES.filter(({ operation }) => operation.kind !== 'read')
const CSV = { 'content-type': 'text/csv' }
const NAMING = ['object', 'id', 'version', 'deleted']

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  owner = await world.aMember(school, ['owner'])
  const pair = await aPair(world, school, CLAUDE, owner, { scope: EVERY_OPERATOR_SCOPE })
  const narrowed = async (scope: string) => {
    const answer = await refresh(world, school, CLAUDE, pair.refresh_token, { scope })
    return new OperatorClient(world, school, owner, answer.json().access_token)
  }
  full = await narrowed(EVERY_OPERATOR_SCOPE)
  for (const { name } of SCOPES.filter(({ name }) => name.endsWith(':write'))) {
    if (name !== 'account:write') writing.set(name, await narrowed(name))
  }
})

async function resetExamples(): Promise<void> {
  await clearExamples(school)
  await addExamples(world, school)
}

function writerOf({ operation }: Route): OperatorClient {
  const client = writing.get(operation.scopes[0] ?? '')
  if (client === undefined) throw new Error(`no client for ${operation.name}`)
  return client
}

/** The values that the client sent, with the defaults of members that it left out. */
const sentBy = ({ operation }: Route, input: Fields): Fields => operation.input.parse(input)

function expectOnlySent(route: Route, input: Fields, output: Fields): void {
  const { operation } = route
  const sent = sentBy(route, input)
  for (const [name, value] of Object.entries(output)) {
    if (NAMING.includes(name)) continue
    expect({ [name]: value }, operation.name).toEqual({ [name]: sent[name] })
  }
  if ('id' in operation.output.shape) expect(output.id, operation.name).toBeTypeOf('string')
  if ('version' in operation.output.shape) {
    expect(output.version, operation.name).toBeTypeOf('number')
  }
}

/**
 * Every text that is stored in an object, except what the client sent and what names the object.
 */
function secretsOf(stored: unknown, known: string): string[] {
  const texts: string[] = []
  JSON.stringify(stored, (_name, value: unknown) => {
    if (typeof value === 'string' && value.length >= 3 && !known.includes(value)) texts.push(value)
    return value
  })
  return texts
}

/** The object of an answer, as a client with every scope reads it. */
async function storedAt(route: Route, id: unknown): Promise<unknown> {
  const { restPath, kind } = route.operation
  if (restPath === undefined || kind === 'remove') return {}
  return (await full.get(restPath.replace('{id}', String(id)))).json()
}

/** Without ids and digests made by chance, in which three letters such as USD can stand. */
function everythingIn({ body, headers }: Answer): string {
  const { 'www-authenticate': _challenge, 'x-request-id': _id, etag: _digest, ...rest } = headers
  return `${body}\n${JSON.stringify(rest)}`
}

async function eachWrite(
  work: (route: Route, input: Fields, writer: OperatorClient) => Promise<void>,
  routes: readonly Route[] = WRITES,
): Promise<void> {
  for (const route of routes) {
    for (const { input } of route.operation.examples) {
      await resetExamples()
      await work(route, input, writerOf(route))
    }
  }
}

describe('a token with the write scope alone', () => {
  verifies(
    'admin-api.write-only',
    'gets from every write of the REST API only the id, the version and what it sent',
    async () => {
      await eachWrite(async (route, input, writer) => {
        const answer = await writer.perform(route, input)
        expect(answer.statusCode, `${route.operation.name}: ${answer.body}`).toBeLessThan(300)
        const output = answer.json()
        expectOnlySent(route, input, output)
        const known = JSON.stringify([sentBy(route, input), output.id, output.object])
        const told = everythingIn(answer)
        for (const secret of secretsOf(await storedAt(route, output.id), known)) {
          expect(told, `${route.operation.name} tells ${secret}`).not.toContain(secret)
        }
      })
    },
  )

  verifies('admin-api.write-only', 'gets no more from every write by a tool', async () => {
    const list = await post(world, school, request('tools/list'), { token: full.accessToken })
    const { tools = [] } = list.json<Rpc<{ tools: Tool[] }>>().result ?? {}
    const toolOf = (action: string) =>
      tools.find(({ inputSchema }) => inputSchema.properties.action?.enum?.includes(action))
    await eachWrite(async (route, input, { accessToken: token }) => {
      const { name: action } = route.operation
      const tool = toolOf(action)?.name ?? ''
      const answer = await callTool(world, school, tool, { action, input }, { token })
      expect(answer.isError, `${action}: ${JSON.stringify(answer)}`).not.toBe(true)
      expectOnlySent(route, input, answer.structuredContent?.result as Fields)
    })
  })

  verifies(
    'admin-api.write-only',
    'gets no more from a repeated write whose first call had the read scope',
    async () => {
      let number = 0
      await eachWrite(async (route, input, writer) => {
        const headers = { 'idempotency-key': `replay-${number++}` }
        const first = await full.perform(route, input, headers)
        expect(first.statusCode, `${route.operation.name}: ${first.body}`).toBeLessThan(300)
        const again = await writer.perform(route, input, headers)
        expect(again.headers['idempotent-replayed']).toBe('true')
        expect(again.statusCode).toBe(first.statusCode)
        expect(again.headers.location).toBe(first.headers.location)
        expectOnlySent(route, input, again.json())
        const known = JSON.stringify([sentBy(route, input), again.json().id, again.json().object])
        const told = everythingIn({
          ...again,
          headers: { ...again.headers, location: '' },
        } as Answer)
        for (const secret of secretsOf(first.json(), known)) {
          expect(told, `${route.operation.name} tells ${secret}`).not.toContain(secret)
        }
        if (first.headers.etag !== undefined && again.body !== first.body) {
          expect(again.headers.etag).not.toBe(first.headers.etag)
        }
        expect((await full.perform(route, input, headers)).body).toBe(first.body)
      })
    },
  )

  verifies(
    'admin-api.write-only',
    'learns from a stale version only the current one, and can then write with it',
    async () => {
      const conditional = WRITES.filter(({ operation }) => 'if_version' in operation.input.shape)
      await eachWrite(async (route, input, writer) => {
        const { path, body } = requestOf(route, input)
        const stored = await storedAt(route, input.id)
        const stale = await writer.send(route.method, path, {
          body,
          headers: { 'if-match': '"999-AAAAAAAAAAAAAAAA"' },
        })
        expect(stale.statusCode, route.operation.name).toBe(412)
        const { version, ...rest } = stale.json()
        expect(version, route.operation.name).toBeTypeOf('number')
        const known = JSON.stringify([input, rest.instance, rest.title, rest.detail, rest.type])
        for (const secret of secretsOf(stored, known)) {
          expect(everythingIn(stale), route.operation.name).not.toContain(secret)
        }
        const fresh = await writer.send(route.method, path, {
          body,
          headers: { 'if-match': `"${version}"` },
        })
        expect(fresh.statusCode, route.operation.name).toBe(200)
        expectOnlySent(route, input, fresh.json())
      }, conditional)
    },
  )

  verifies(
    'admin-api.write-only',
    'is not told in which state an object is when the state forbids a write',
    async () => {
      const cases: readonly [string, string, string, string, Fields?][] = [
        [
          'events:write',
          'PATCH',
          `/event-registrations/${EXAMPLE.registration}`,
          'canceled',
          { state: 'attended' },
        ],
        ['courses:write', 'DELETE', `/courses/${EXAMPLE.course}`, 'in_use'],
      ]
      await resetExamples()
      await school.db
        .update('event_registrations')
        .set({ state: 'canceled', canceled_at: new Date() })
        .where('id', '=', EXAMPLE.registration)
        .execute()
      for (const [scope, method, path, reason, body] of cases) {
        const explained = await full.send(method, path, { body })
        expect([path, explained.statusCode, explained.json().reason]).toEqual([path, 409, reason])
        const answer = await writing.get(scope)?.send(method, path, { body })
        expect(answer?.json()).toEqual({
          type: `${school.origin}/docs/errors#conflict`,
          title: 'The current state does not allow this',
          status: 409,
          detail: `The current state does not allow this. A token that also has ${scope.replace('write', 'read')} is told why.`,
          instance: `/api/v1${path}`,
          code: 'conflict',
          request_id: expect.any(String),
          reason: 'state',
        })
      }
    },
  )

  test('is told if what it sent is there already', async () => {
    await resetExamples()
    const taken = await writing
      .get('courses:write')
      ?.post('/courses', { slug: 'first', title: 'X' })
    expect(taken?.json()).toMatchObject({ status: 409, reason: 'taken' })
    const enrolled = await writing
      .get('students:write')
      ?.post('/enrollments', { student_id: EXAMPLE.student, course_id: EXAMPLE.course })
    expect(enrolled?.json()).toMatchObject({ status: 409, reason: 'already_enrolled' })
  })

  verifies(
    'admin-api.write-only',
    'cannot find out roles by adding some, nor guess values by importing them',
    async () => {
      await resetExamples()
      const members = writing.get('members:write')
      const email = `${EXAMPLE.lecturer}@people.test`
      const added = await members?.post('/members', { email, name: 'X', roles: ['student'] })
      expect(added?.json()).toEqual({
        object: 'member',
        id: EXAMPLE.lecturer,
        roles: ['student'],
        version: expect.any(Number),
      })
      for (const route of BULK_ROUTES.filter(({ method }) => method === 'POST')) {
        const [type, { example }] = Object.entries(route.rows.content)[0] ?? ['', {}]
        const writer = writing.get(route.operation.scopes[0] ?? '')
        for (const path of [route.path, route.path]) {
          const sent = { body: example, headers: { 'content-type': type } }
          const answer = await writer?.send('POST', path, sent)
          expect(Object.keys(answer?.json() ?? {}).sort(), path).toEqual([
            'complete',
            'dry_run',
            'errors',
            'failed',
            'id',
            'next_line',
            'object',
            'resource',
            'rows',
          ])
          expect(answer?.json(), path).toMatchObject({ rows: 1, failed: 0 })
        }
      }
    },
  )
})

verifies(
  'admin-api.dry-run-reads',
  'a guess by a dry run of an import is refused without the read scope, which the challenge names',
  async () => {
    for (const route of BULK_ROUTES.filter(({ method }) => method === 'POST')) {
      const [type, { example }] = Object.entries(route.rows.content)[0] ?? ['', {}]
      const [scope = ''] = route.operation.scopes
      const path = `${route.path}?dry_run=true`
      const sent = { body: example, headers: { 'content-type': type } }
      const answer = await writing.get(scope)?.send('POST', path, sent)
      expect(answer?.statusCode, path).toBe(403)
      const read = scope.replace(':write', ':read')
      const challenge = String(answer?.headers['www-authenticate'])
      expect(challenge, path).toContain('error="insufficient_scope"')
      expect(challenge, path).toContain(`scope="${scope} ${read}"`)
      expect(answer?.body, path).toContain(`lacks ${read}.`)
      expect(answer?.json().errors, path).toBeUndefined()
      const allowed = await full.send('POST', path, sent)
      expect(allowed.json(), path).toMatchObject({ dry_run: true, rows: 1 })
    }
  },
)

verifies(
  'admin-api.write-only',
  'an admin who tries to demote everybody is not told who the owners are',
  async () => {
    const admin = await world.aMember(school, ['admin'])
    const scope = 'members:read members:write'
    const { access_token } = await aPair(world, school, CLAUDE, admin, { scope })
    const both = new OperatorClient(world, school, admin, access_token)
    const pair = await aPair(world, school, CLAUDE, admin, { scope })
    const narrowed = await refresh(world, school, CLAUDE, pair.refresh_token, {
      scope: 'members:write',
    })
    const blind = new OperatorClient(world, school, admin, narrowed.json().access_token)
    const path = `/members/${owner.id}`
    const body = { roles: ['student'] }
    const answer = await blind.send('PATCH', path, { body })
    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({ code: 'conflict', reason: 'state' })
    expect(everythingIn(answer)).not.toContain('owner')
    const csv = { body: `id,roles\n${owner.id},"[""student""]"\n`, headers: CSV }
    const imported = await blind.send('POST', '/members/import', csv)
    expect(imported.json().errors).toMatchObject([{ errors: [{ code: 'state' }] }])
    expect(imported.body).not.toContain('owner')

    const told = await both.send('PATCH', path, { body })
    expect([told.statusCode, told.json().reason]).toEqual([403, 'people_only'])
  },
)

interface Tool {
  readonly name: string
  readonly inputSchema: { readonly properties: { readonly action?: { readonly enum?: string[] } } }
}

verifies(
  'admin-api.write-only',
  'a token with both scopes gets the whole object from every write',
  async () => {
    await eachWrite(async (route, input) => {
      const answer = await full.perform(route, input)
      expect(route.operation.output.safeParse(answer.json()).error).toBeUndefined()
    })
  },
)
