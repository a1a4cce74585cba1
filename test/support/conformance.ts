import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import type { Setup } from './authorization.ts'
import { type AuthorizeOptions, aPkce, authorizeAs } from './browser-like.ts'
import { exchange, userinfo } from './client-like.ts'
import type { TestSchool, World } from './world.ts'

/** The results of a successful flow that the conformance suite checks. */
export interface Run {
  readonly callback: URLSearchParams
  readonly code: string
  readonly verifier: string
  readonly tokens: {
    readonly access_token: string
    readonly refresh_token: string
    readonly scope: string
    readonly id_token: string
  }
  readonly header: { readonly alg: string; readonly kid?: string | undefined }
  readonly claims: JWTPayload
  readonly userinfo: Record<string, unknown>
}

/** A confidential client and a student, as most modules are configured. */
export async function aSuite(world: World): Promise<Setup> {
  const school = await world.aSchool()
  const client = await world.aConfidentialClient(school)
  return { world, school, client, person: await world.aMember(school) }
}

export async function discover(world: World, school: TestSchool): Promise<Record<string, unknown>> {
  const answer = await world.app.inject({
    url: '/.well-known/openid-configuration',
    headers: { host: new URL(school.origin).host },
  })
  return answer.json()
}

/** Verifies an ID token as a relying party does, with the keys from discovery. */
export async function verifyIdToken({ world, school, client }: Setup, idToken: string) {
  const { jwks_uri, issuer } = await discover(world, school)
  const keys = createRemoteJWKSet(new URL(String(jwks_uri)), {
    [customFetch]: async (url: string) => {
      const { pathname, host } = new URL(url)
      const answer = await world.app.inject({ url: pathname, headers: { host } })
      return new Response(answer.body, { status: answer.statusCode })
    },
  })
  return await jwtVerify(idToken, keys, {
    issuer: String(issuer),
    audience: client.clientId,
    algorithms: ['ES256'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
  })
}

/**
 * A whole flow with the checks that the suite makes in every flow: state and iss are returned, the
 * code is long, the token response is well-formed, and the ID token and UserInfo have the same sub.
 */
export async function runFlow(setup: Setup, options: AuthorizeOptions = {}): Promise<Run> {
  const { world, school, client, person } = setup
  const pkce = options.pkce ?? aPkce()
  const callback = await authorizeAs(world, school, client, person, { ...options, pkce })
  const sent = { state: 'a state', nonce: 'a nonce', ...options.parameters }
  expect(callback.get('error')).toBeNull()
  expect(callback.get('state')).toBe(sent.state ?? null)
  expect(callback.get('iss')).toBe(school.origin)
  const code = callback.get('code') ?? ''
  // RFC 6749 §10.10: a code must not be guessable; 128 bits are 22 characters of base64url.
  expect(code).toMatch(/^[A-Za-z0-9_-]{43,}$/)
  const answer = await exchange(world, school, client, code, pkce.verifier)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-store')
  const tokens = answer.json()
  expect(tokens.token_type).toBe('Bearer')
  expect(tokens.expires_in).toBe(7200)
  // RFC 6750 §2.1: the characters that may follow "Bearer".
  expect(tokens.access_token).toMatch(/^[A-Za-z0-9._~+/-]+=*$/)
  const { payload, protectedHeader } = await verifyIdToken(setup, tokens.id_token)
  expect(payload.nonce).toBe(sent.nonce)
  expect(payload).not.toHaveProperty('at_hash')
  const said = await userinfo(world, school, tokens.access_token)
  expect(said.statusCode).toBe(200)
  expect(said.json().sub).toBe(payload.sub)
  return {
    callback,
    code,
    verifier: pkce.verifier,
    tokens,
    header: protectedHeader as Run['header'],
    claims: payload,
    userinfo: said.json(),
  }
}
