import type { Answer } from './browser-like.ts'
import { aPair } from './client-like.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

export interface GraphQLBody<Data = Record<string, unknown>> {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions?: Record<string, unknown>
  }[]
  readonly extensions?: {
    readonly cost?: { readonly requested: number; readonly actual: number; readonly limit: number }
  }
}

/** An access token of a member from a whole flow, used once so that later uses only read. */
export async function aToken(
  world: World,
  school: TestSchool,
  person: TestPerson,
  scope = 'account:read account:write',
): Promise<string> {
  const client = await world.aPublicClient(school)
  const { access_token } = await aPair(world, school, client, person, { scope })
  await postGraphQL(world, school, access_token, { query: '{ __typename }' })
  return access_token
}

/** The HTTP answer, for tests about HTTP. */
export function postGraphQL(
  world: World,
  school: TestSchool,
  token: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return world.app.inject({
    method: 'POST',
    url: '/member/graphql',
    headers: {
      host: new URL(school.origin).host,
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** The body of the answer, for tests about data. */
export async function ask<Data = Record<string, never>>(
  world: World,
  school: TestSchool,
  token: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<GraphQLBody<Data>> {
  const answer = await postGraphQL(world, school, token, { query, variables })
  return answer.json()
}

/** The data of an answer that must have no errors. */
export async function read<Data>(
  world: World,
  school: TestSchool,
  token: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Data> {
  const { data, errors } = await ask<Data>(world, school, token, query, variables)
  if (errors !== undefined || data === null || data === undefined) {
    throw new Error(`no data: ${JSON.stringify(errors)}`)
  }
  return data
}
