import { type Answer, type AuthorizeOptions, aPkce, authorizeAs } from './browser-like.ts'
import type { TestClient, TestPerson, TestSchool, World } from './world.ts'

export interface Pair {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly id_token?: string
  readonly school_id?: string
}

export async function postForm(
  world: World,
  school: TestSchool,
  path: string,
  fields: Record<string, string | undefined> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const payload =
    typeof fields === 'string'
      ? fields
      : new URLSearchParams(
          Object.entries(fields).filter(
            (entry): entry is [string, string] => entry[1] !== undefined,
          ),
        ).toString()
  return await world.app.inject({
    method: 'POST',
    url: path,
    headers: {
      host: new URL(school.origin).host,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    payload,
  })
}

export function exchange(
  world: World,
  school: TestSchool,
  client: TestClient,
  code: string,
  verifier: string,
  overrides: Record<string, string | undefined> = {},
): Promise<Answer> {
  return postForm(world, school, '/api/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    client_id: client.clientId,
    client_secret: client.secret,
    code_verifier: verifier,
    resource: school.origin,
    ...overrides,
  })
}

export function refresh(
  world: World,
  school: TestSchool,
  client: TestClient,
  refreshToken: string,
  overrides: Record<string, string | undefined> = {},
): Promise<Answer> {
  return postForm(world, school, '/api/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: client.clientId,
    client_secret: client.secret,
    resource: school.origin,
    ...overrides,
  })
}

export function revoke(
  world: World,
  school: TestSchool,
  client: TestClient,
  token: string,
  overrides: Record<string, string | undefined> = {},
): Promise<Answer> {
  return postForm(world, school, '/api/oauth/revoke', {
    token,
    client_id: client.clientId,
    client_secret: client.secret,
    ...overrides,
  })
}

export function userinfo(world: World, school: TestSchool, token?: string): Promise<Answer> {
  return world.app.inject({
    method: 'GET',
    url: '/api/oauth/userinfo',
    headers: {
      host: new URL(school.origin).host,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  })
}

/** A live pair from a whole flow: sign-in, consent, exchange. */
export async function aPair(
  world: World,
  school: TestSchool,
  client: TestClient,
  person: TestPerson,
  options: AuthorizeOptions = {},
): Promise<Pair> {
  const pkce = options.pkce ?? aPkce()
  const callback = await authorizeAs(world, school, client, person, { ...options, pkce })
  const code = callback.get('code')
  if (code === null) throw new Error(`no code: ${callback}`)
  const answer = await exchange(world, school, client, code, pkce.verifier)
  if (answer.statusCode !== 200) throw new Error(`no pair: ${answer.body}`)
  return answer.json()
}
