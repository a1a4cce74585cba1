import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { API_ROOT } from '../../src/domain/operation/operation.ts'
import { planOf, type Route } from '../../src/surfaces/admin-api/route.ts'
import type { Answer } from './browser-like.ts'
import { aPair } from './client-like.ts'
import { CLAUDE } from './oauth-world.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

export const EVERY_OPERATOR_SCOPE = SCOPES_OF_AUDIENCE.operator.toString()

export interface Sent {
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** An operator's program: an access token and its school. */
export class OperatorClient {
  readonly world: World
  readonly school: TestSchool
  readonly person: TestPerson
  readonly accessToken: string

  constructor(world: World, school: TestSchool, person: TestPerson, accessToken: string) {
    this.world = world
    this.school = school
    this.person = person
    this.accessToken = accessToken
  }

  async send(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
    return await sendTo(this.world, this.school, method, path, {
      body,
      headers: { authorization: `Bearer ${this.accessToken}`, ...headers },
    })
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, { headers })
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, { body, headers })
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('PATCH', path, { body, headers })
  }

  /** Sends an operation's input to its route. */
  perform(
    route: Route,
    input: Readonly<Record<string, unknown>>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { path, body } = requestOf(route, input)
    return this.send(route.method, path, { body, headers })
  }
}

/** Calls the REST API; a body is sent as JSON. */
export async function sendTo(
  world: World,
  school: TestSchool,
  method: string,
  path: string,
  { body, headers = {} }: Sent = {},
): Promise<Answer> {
  return await world.app.inject({
    method: method as 'GET',
    url: API_ROOT + path,
    headers: {
      host: new URL(school.origin).host,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** Splits an input into path, query and body. */
export function requestOf(
  route: Route,
  input: Readonly<Record<string, unknown>>,
): { path: string; body: Record<string, unknown> | undefined } {
  const plan = planOf(route)
  const path = route.path.replace(/\{([a-z_]+)\}/g, (_match, name) =>
    encodeURIComponent(String(input[name])),
  )
  const query = new URLSearchParams()
  for (const name of Object.keys(plan.query)) {
    const value = input[name]
    if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const rest = Object.entries(input).filter(([name]) => plan.body.includes(name))
  return {
    path: query.size === 0 ? path : `${path}?${query}`,
    body: plan.body.length === 0 ? undefined : Object.fromEntries(rest),
  }
}

/** A program that an owner of the school authorized with these scopes. */
export async function anOperator(
  world: World,
  school: TestSchool,
  options: { scopes?: string; roles?: readonly string[]; person?: TestPerson } = {},
): Promise<OperatorClient> {
  const person = options.person ?? (await world.aMember(school, options.roles ?? ['owner']))
  const scope = options.scopes ?? EVERY_OPERATOR_SCOPE
  const { access_token } = await aPair(world, school, CLAUDE, person, { scope })
  return new OperatorClient(world, school, person, access_token)
}
