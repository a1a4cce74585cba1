import { expect } from 'vitest'
import type { Assistant, Connection, ScopeShape } from '../../fixtures/assistants/assistant.ts'
import { aPkce, type Pkce, Visitor } from '../../support/browser-like.ts'
import type { Pair } from '../../support/client-like.ts'
import type { TestPerson, TestSchool, World } from '../../support/world.ts'
import type { Discovered } from './discover.ts'
import type { Wire } from './wire.ts'

/** Words that the user of an assistant reads, in the assistant or on a page of the school. */
export class Refused extends Error {
  readonly step: 'registration' | 'authorization'

  constructor(step: 'registration' | 'authorization', words: string) {
    super(words)
    this.step = step
  }
}

/** Gets a client_id as the assistant does. `entered` is the one that the person typed. */
export async function identify(
  wire: Wire,
  { client }: Connection,
  { server }: Discovered,
  entered: string | undefined,
): Promise<string> {
  if (client.by === 'entry') return String(entered)
  if (client.by === 'document') {
    expect(server.client_id_metadata_document_supported).toBe(true)
    expect(server.token_endpoint_auth_methods_supported).toContain('none')
    return client.document.client_id
  }
  const answer = await wire.postJson(server.registration_endpoint, client.body)
  // Whole, as assistants show it.
  if (answer.statusCode !== 201) throw new Refused('registration', answer.body)
  const again = await wire.postJson(server.registration_endpoint, client.body)
  expect(again.json()).toEqual(answer.json())
  expect(answer.json().client_secret).toBeUndefined()
  return answer.json().client_id
}

export interface Login {
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly pair: Pair
}

/** The person signs in and allows, and the assistant exchanges the code. */
export async function logIn(
  { world, school, wire }: { world: World; school: TestSchool; wire: Wire },
  person: TestPerson,
  { grants }: Assistant,
  { redirectUri, asksAlso = [] }: Connection,
  found: Discovered,
  clientId: string,
  scopes: ScopeShape,
): Promise<Login> {
  const resource = resourceOf(grants, found)
  const pkce = aPkce()
  const query = new URLSearchParams([
    ['response_type', 'code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['code_challenge', pkce.challenge],
    ['code_challenge_method', 'S256'],
    ['state', grants.state],
    ['scope', [...scopesOf(scopes, found), ...grants.adds].join(' ')],
    ['resource', resource],
    ...asksAlso.map(([name, value]) => [name, value] as [string, string]),
  ])
  const { pathname } = new URL(found.server.authorization_endpoint)
  const callback = await decide(new Visitor(world, school), `${pathname}?${query}`, person)
  expect(callback.href.startsWith(redirectUri)).toBe(true)
  const given = callback.searchParams
  expect([given.get('state'), given.get('iss')]).toEqual([grants.state, school.origin])
  if (given.has('error')) throw new Refused('authorization', String(given.get('error_description')))
  const pair = await exchange(wire, grants, found, {
    code: String(given.get('code')),
    pkce,
    clientId,
    redirectUri,
    resource,
  })
  return { clientId, redirectUri, resource, pair }
}

function resourceOf({ resource }: Assistant['grants'], found: Discovered): string {
  if (resource === 'document') return found.resource.resource
  return resource === 'address' ? found.address : `${found.address}/`
}

function scopesOf(shape: ScopeShape, { challenged, resource, server }: Discovered) {
  if (shape === 'resource') return challenged ?? resource.scopes_supported
  return shape === 'server' ? server.scopes_supported : shape
}

/** The browser that the assistant opens. Returns where it ends: at the callback. */
async function decide(visitor: Visitor, path: string, person: TestPerson): Promise<URL> {
  let page = await visitor.follow(await visitor.get(path))
  if (page.statusCode >= 400) {
    // A client that the school has not reviewed gets its error by a link that the person may
    // follow.
    const link = /href="([^"]+[?&;]error=[^"]+)"/.exec(page.body)?.[1]
    if (link === undefined) throw new Refused('authorization', textOf(page.body))
    return new URL(link.replaceAll('&amp;', '&'))
  }
  if (page.headers.location === undefined) {
    page = await visitor.follow(await visitor.signIn(page, person))
    page = await visitor.decide(page, 'allow')
  }
  return new URL(String(page.headers.location))
}

const textOf = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

async function exchange(
  wire: Wire,
  { tokenHeaders }: Assistant['grants'],
  { server }: Discovered,
  given: { code: string; pkce: Pkce; clientId: string; redirectUri: string; resource: string },
): Promise<Pair> {
  const fields = new URLSearchParams({
    grant_type: 'authorization_code',
    code: given.code,
    code_verifier: given.pkce.verifier,
    redirect_uri: given.redirectUri,
    client_id: given.clientId,
    resource: given.resource,
  })
  const answer = await wire.postForm(server.token_endpoint, fields, tokenHeaders)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.json()).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) })
  return answer.json<Pair>()
}

export async function refreshAs(
  wire: Wire,
  { grants }: Assistant,
  { server }: Discovered,
  { clientId, resource, pair }: Login,
): Promise<Pair> {
  const fields = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: pair.refresh_token,
    client_id: clientId,
    resource,
    ...(grants.refreshScope ? { scope: pair.scope } : {}),
  })
  const answer = await wire.postForm(server.token_endpoint, fields, grants.tokenHeaders)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Pair>()
}
