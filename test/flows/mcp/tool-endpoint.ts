import { moveDemoOrigins } from '../../../src/demo/demo-world.ts'
import { atSchool } from '../../../src/foundation/db/school-db.ts'
import { type Answer, Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import type { TestClient, TestPerson, TestSchool, World } from '../../support/world.ts'

export const MODERN = '2026-07-28'
export const DEMO_PASSWORD = 'schoolgate-demo'

export interface Rpc<Result = Record<string, unknown>> {
  readonly jsonrpc: string
  readonly id: number | string | null
  readonly result?: Result
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

interface Options {
  readonly token?: string | undefined
  /** The name of the endpoint, `/mcp` if none is given. */
  readonly path?: string
  readonly headers?: Record<string, string | undefined>
}

/** Sends one message as clients of the handshake era do. */
export function post(
  world: World,
  school: Pick<TestSchool, 'origin'>,
  body: unknown,
  { token, path = '/mcp', headers = {} }: Options = {},
): Promise<Answer> {
  const all: Record<string, string | undefined> = {
    host: new URL(school.origin).host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    ...headers,
  }
  return world.app.inject({
    method: 'POST',
    url: path,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export function request(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}

/** Sends one message as the revision without a handshake requires it, with its headers. */
export function postModern(
  world: World,
  school: Pick<TestSchool, 'origin'>,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, ...options }: Options = {},
): Promise<Answer> {
  const { name } = params
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return post(world, school, request(method, { _meta, ...params }), {
    ...options,
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
  })
}

export interface ToolAnswer {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly _meta?: Record<string, unknown>
}

/** The result of a tool call in the handshake era. */
export async function callTool(
  world: World,
  school: Pick<TestSchool, 'origin'>,
  name: string,
  given: object = {},
  options: Options = {},
): Promise<ToolAnswer> {
  const answer = await post(
    world,
    school,
    request('tools/call', { name, arguments: given }),
    options,
  )
  const { result } = answer.json<Rpc<ToolAnswer>>()
  if (result === undefined) throw new Error(`no result: ${answer.statusCode} ${answer.body}`)
  return result
}

/** The structured answer of a call that must succeed. */
export async function useTool<T = Record<string, unknown>>(
  world: World,
  school: Pick<TestSchool, 'origin'>,
  name: string,
  given: object = {},
  options: Options = {},
): Promise<T> {
  const result = await callTool(world, school, name, given, options)
  if (result.isError === true || result.structuredContent === undefined) {
    throw new Error(`the tool failed: ${JSON.stringify(result)}`)
  }
  return result.structuredContent as T
}

export async function toolNames(
  world: World,
  school: Pick<TestSchool, 'origin'>,
  options: Options = {},
): Promise<string[]> {
  const answer = await post(world, school, request('tools/list'), options)
  const { result } = answer.json<Rpc<{ tools: { name: string }[] }>>()
  if (result === undefined) throw new Error(`no list: ${answer.statusCode} ${answer.body}`)
  return result.tools.map(({ name }) => name)
}

export interface DemoSchool extends TestSchool {
  readonly publicClient: TestClient
}

/**
 * Moves the schools of `aDemoWorld` to the port of the test. Returns a function that finds them.
 */
export async function demoSchoolsAt(
  world: World,
  port = 3000,
): Promise<(subdomain: string) => Promise<DemoSchool>> {
  const { db } = world.database
  await moveDemoOrigins(db, port)
  world.context.directory.forget()
  return async (subdomain) => {
    const { id, origin } = await db
      .selectFrom('schools')
      .select(['id', 'origin'])
      .where('subdomain', '=', subdomain)
      .executeTakeFirstOrThrow()
    const publicClient: TestClient = {
      clientId: `${subdomain}-public`,
      secret: undefined,
      redirectUri: 'http://127.0.0.1/callback',
    }
    return { id, origin, subdomain, db: atSchool(db, id), publicClient }
  }
}

export async function demoPerson(world: World, email: string): Promise<TestPerson> {
  const { id, name } = await world.database.db
    .selectFrom('users')
    .select(['id', 'name'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  return { id, name, email }
}

/** An access token of a person of the demo world, obtained by the whole flow. */
export async function demoToken(
  world: World,
  school: DemoSchool,
  email: string,
  scope: string,
  client: TestClient = school.publicClient,
): Promise<string> {
  const person = await demoPerson(world, email)
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), person, DEMO_PASSWORD)
  const { access_token } = await aPair(world, school, client, person, { scope, visitor })
  return access_token
}

/** The client of a vendor, which registers by its name. */
export async function aVendor(
  world: World,
  school: Pick<TestSchool, 'origin'>,
): Promise<TestClient> {
  const answer = await world.app.inject({
    method: 'POST',
    url: '/api/oauth/register',
    headers: { host: new URL(school.origin).host, 'content-type': 'application/json' },
    payload: { client_name: 'Claude' },
  })
  const { client_id, redirect_uris } = answer.json()
  const redirectUri = redirect_uris.find((uri: string) => uri.startsWith('http://127.0.0.1'))
  return { clientId: client_id, secret: undefined, redirectUri }
}
