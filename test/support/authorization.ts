import { expect } from 'vitest'
import { type Answer, aPkce, authorizeParameters, Visitor } from './browser-like.ts'
import type { TestClient, TestPerson, TestSchool, World } from './world.ts'

/** A school with a public client and a student, enough for most authorizations. */
export interface Setup {
  readonly world: World
  readonly school: TestSchool
  readonly client: TestClient
  readonly person: TestPerson
}

export async function aSetup(world: World): Promise<Setup> {
  const school = await world.aSchool()
  const client = await world.aPublicClient(school)
  return { world, school, client, person: await world.aMember(school) }
}

/** The query of a correct request with some parameters replaced, or removed if undefined. */
export function queryOf(
  { school, client }: Pick<Setup, 'school' | 'client'>,
  overrides: Record<string, string | undefined> = {},
): string {
  return authorizeParameters(school, client, aPkce(), overrides).toString()
}

export function ask(
  setup: Setup,
  overrides: Record<string, string | undefined> = {},
  visitor: Visitor = new Visitor(setup.world, setup.school),
): Promise<Answer> {
  return visitor.get(`/oauth/authorize?${queryOf(setup, overrides)}`)
}

/** A browser in which the person has signed in, at the consent page. */
export async function signedIn(
  setup: Setup,
  overrides: Record<string, string | undefined> = {},
  visitor: Visitor = new Visitor(setup.world, setup.school),
): Promise<{ visitor: Visitor; page: Answer }> {
  const page = await visitor.follow(await ask(setup, overrides, visitor))
  return { visitor, page: await visitor.follow(await visitor.signIn(page, setup.person)) }
}

/**
 * The one script between a client and its callback: that of passkeys, on the sign-in page, named by
 * its whole address.
 */
const PASSKEY_POLICY = /; script-src http:\/\/[\w.:-]+\/assets\/passkeys\.[0-9a-f]{12}\.js$/
const PASSKEY_SCRIPT = /<script src="\/assets\/passkeys\.[0-9a-f]{12}\.js" defer><\/script>/

const withoutPasskeys = (answer: Answer, text: string, script: RegExp): string =>
  answer.body.includes('action="/sign-in"') ? text.replace(script, '') : text

/** Checks the headers of all pages, redirects and page errors of an authorization. */
export function expectPageHeaders(answer: Answer): void {
  const whole = String(answer.headers['content-security-policy'])
  const policy = withoutPasskeys(answer, whole, PASSKEY_POLICY)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  // Chromium applies form-action also to the redirect to the client.
  expect(policy).not.toMatch(/script-src|unsafe-|form-action|https?:/)
  expect(answer.headers).toMatchObject({
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
}

/** The answer is a page of ours, not a redirect. */
export function expectPage(answer: Answer, status: number): void {
  expect({ status: answer.statusCode, location: answer.headers.location }).toEqual({
    status,
    location: undefined,
  })
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  const body = withoutPasskeys(answer, answer.body, PASSKEY_SCRIPT)
  expect(body).not.toMatch(/http-equiv|<script|<iframe/i)
  expectPageHeaders(answer)
}

/** Checks a redirect and returns its location. */
export function locationOf(answer: Answer): string {
  expect(answer.statusCode).toBe(303)
  expectPageHeaders(answer)
  return String(answer.headers.location)
}

/** Checks a redirect to the client and returns its error. */
export function expectErrorRedirect(
  setup: Pick<Setup, 'school' | 'client'>,
  answer: Answer,
  error: string,
  state: string | null = 'a state',
): URLSearchParams {
  return expectErrorUrl(setup, locationOf(answer), error, state)
}

function expectErrorUrl(
  { school, client }: Pick<Setup, 'school' | 'client'>,
  location: string,
  error: string,
  state: string | null,
): URLSearchParams {
  expect(location.startsWith(`${client.redirectUri}?`)).toBe(true)
  const told = new URL(location).searchParams
  expect(told.get('error')).toBe(error)
  expect(told.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]{10,500}$/)
  expect(told.get('state')).toBe(state)
  expect(told.get('iss')).toBe(school.origin)
  expect(told.get('error_uri')).toBe(`${school.origin}/docs/errors#${error}`)
  const names = [
    'error',
    'error_description',
    'error_uri',
    ...(state === null ? [] : ['state']),
    'iss',
  ]
  expect([...told.keys()].sort()).toEqual(names.sort())
  return told
}

/**
 * A client that the school has not reviewed: the same redirect, but as a link on a page, whose
 * words name the host. The person decides whether to follow it.
 */
export function expectHeldRedirect(
  setup: Pick<Setup, 'school' | 'client'>,
  answer: Answer,
  error: string,
  state: string | null = 'a state',
): URLSearchParams {
  expectPage(answer, 400)
  const link = /<a class="button button-plain" href="([^"]*)">(.*?)<\/a>/.exec(answer.body)
  const location = (link?.[1] ?? '').replaceAll('&amp;', '&')
  const { host, protocol } = new URL(setup.client.redirectUri)
  expect(link?.[2]).toContain(host || protocol)
  return expectErrorUrl(setup, location, error, state)
}

/** Counts the rows of each table that an authorization can write. */
export async function writtenRows({ world }: Pick<Setup, 'world'>): Promise<number> {
  const { rows } = await world.database.pool.query<{ n: number }>(
    `select (select count(*) from authorization_codes) + (select count(*) from authorizations)
       + (select count(*) from audit_entries) + (select count(*) from clients) as n`,
  )
  return Number(rows[0]?.n)
}

export async function auditOf(school: TestSchool) {
  return await school.db
    .from('audit_entries')
    .select(['action', 'outcome', 'actor_user_id', 'client_id', 'detail'])
    .where('action', 'not like', 'session.%')
    .orderBy('id')
    .execute()
}
