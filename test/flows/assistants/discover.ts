import { expect } from 'vitest'
import type { Assistant, Role } from '../../fixtures/assistants/assistant.ts'
import { request } from '../mcp/tool-endpoint.ts'
import type { Headers, Wire } from './wire.ts'

interface ResourceDocument {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
}

export interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint: string
  readonly scopes_supported: readonly string[]
  readonly token_endpoint_auth_methods_supported: readonly string[]
  readonly client_id_metadata_document_supported: boolean
}

/** What an assistant knows before it asks a person to sign in. */
export interface Discovered {
  /** The address that the person entered. */
  readonly address: string
  readonly resource: ResourceDocument
  readonly server: ServerMetadata
  /** The scopes that a challenge named. */
  readonly challenged: readonly string[] | undefined
}

/**
 * The way of the assistant from the address that a person entered to the metadata, with its own
 * checks.
 */
export async function discover(
  wire: Wire,
  { discovery, messages }: Assistant,
  address: string,
  role: Role,
): Promise<Discovered> {
  const { origin, pathname } = new URL(address)
  if (discovery.first !== undefined) {
    const { method, accept } = discovery.first
    const answer = await wire.send(method, address, { ...discovery.headers, accept })
    // Anything but 401 sends it on to the well-known addresses; a page with status 200 would be
    // taken for metadata.
    expect(answer.statusCode).toBe(405)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
  }
  const challenge =
    discovery.begins === 'probes'
      ? undefined
      : await challengeOf(wire, address, role, messages.headers, discovery.begins)
  const places = challenge?.metadata
    ? [challenge.metadata]
    : discovery.resource.map((place) => origin + place.replace('PATH', pathname))
  const resource = await firstFound<ResourceDocument>(wire, places, discovery.headers)
  checkResource(discovery.compares, resource.resource, address)

  const [issuer = ''] = resource.authorization_servers
  const server = await firstFound<ServerMetadata>(
    wire,
    discovery.server.map((place) => issuer + place),
    discovery.headers,
  )
  expect(server.issuer).toBe(issuer)
  return { address, resource, server, challenged: challenge?.scopes }
}

/** Calls a tool that needs a login. */
async function challengeOf(
  wire: Wire,
  address: string,
  role: Role,
  headers: Headers,
  from: 'challenge' | 'challenge in the body',
) {
  const call = request('tools/call', { name: 'sign_in', arguments: { as: role } })
  const answer = await wire.postJson(address, call, headers)
  expect(answer.statusCode).toBe(401)
  const [inBody] = answer.json().result._meta['mcp/www_authenticate']
  const challenge = from === 'challenge' ? String(answer.headers['www-authenticate']) : inBody
  return {
    metadata: /resource_metadata="([^"]+)"/.exec(challenge)?.[1],
    scopes: /scope="([^"]+)"/.exec(challenge)?.[1]?.split(' '),
  }
}

/** Assistants go on to the next place after a 404, and fail at a page that is no JSON. */
async function firstFound<T>(wire: Wire, places: readonly string[], headers: Headers): Promise<T> {
  for (const place of places) {
    const answer = await wire.get(place, headers)
    expect(answer.headers['content-type'], place).toMatch(/^application\/json/)
    if (answer.statusCode === 200) return answer.json<T>()
    expect(answer.statusCode, place).toBe(404)
  }
  throw new Error(`nothing at ${places.join(', ')}`)
}

/** RFC 9728 §3.3, as strictly as the assistant takes it. */
function checkResource(
  compares: Assistant['discovery']['compares'],
  resource: string,
  address: string,
): void {
  const [named, called] = [new URL(resource).href, new URL(address).href]
  if (compares === 'exactly') expect(named).toBe(called)
  if (compares === 'by prefix') expect(called.startsWith(named)).toBe(true)
}
