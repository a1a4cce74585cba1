import { beforeAll, expect, test } from 'vitest'
import { type Answer, aPkce, authorizeParameters, Visitor } from '../../support/browser-like.ts'
import { aPair, exchange, postForm, refresh, revoke, userinfo } from '../../support/client-like.ts'
import { CLAUDE, getFrom } from '../../support/oauth-world.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { aTool } from '../../support/tools.ts'
import type { TestClient, TestPerson, TestSchool } from '../../support/world.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })

const answered: AnsweredRequest[] = []

/** Runs requests that must succeed, and counts their statements. */
async function done(part: string, work: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined
  const requests = await costs.ofPart(part, async () => {
    answer = await work()
  })
  answered.push(...requests)
  if (answer === undefined || answer.statusCode >= 400) {
    throw new Error(`${part}: ${answer?.statusCode} ${answer?.body}`)
  }
  return answer
}

/** Runs a whole grant: authorize, sign in, consent, exchange, use, refresh, replay, revoke. */
async function authorize(
  whose: string,
  at: TestSchool,
  client: TestClient,
  person: TestPerson,
  scope: string,
): Promise<void> {
  const pkce = aPkce()
  const query = authorizeParameters(at, client, pkce, { scope })
  const url = `/oauth/authorize?${query}`
  const visitor = new Visitor(world, at)
  // After this request the directory has cached the school.
  await visitor.get('/sign-in')
  const away = await done(`(stranger, ${whose})`, () => visitor.get(url))
  const page = await done('', () => visitor.get(String(away.headers.location)))
  await done('', () => visitor.signIn(page, person))
  await done('', () => postForm(world, at, '/oauth/authorize', query.toString()))
  const back = await done(`(signed in, ${whose})`, () => visitor.get(url))
  const consent = await done(`(${whose})`, () => visitor.get(String(back.headers.location)))
  const allowed = await done(`(${whose})`, () => visitor.decide(consent, 'allow'))
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
  const pair = await done(`authorization_code (${whose})`, () =>
    exchange(world, at, client, code, pkce.verifier),
  )
  const { access_token, refresh_token } = pair.json()
  await done('(first use)', () => userinfo(world, at, access_token))
  await done('(later use)', () => userinfo(world, at, access_token))
  await done('', () =>
    postForm(world, at, '/api/oauth/userinfo', '', { authorization: `Bearer ${access_token}` }),
  )
  const child = await done(`refresh_token (${whose})`, () =>
    refresh(world, at, client, refresh_token),
  )
  await done('(first use of a child)', () => userinfo(world, at, child.json().access_token))
  const replaced = () => refresh(world, at, client, refresh_token)
  answered.push(...(await costs.of(replaced)))
  expect((await replaced()).statusCode).toBe(400)
  await done(`(${whose})`, () => revoke(world, at, client, child.json().refresh_token))
  await done('(unknown token)', () => revoke(world, at, client, 'unknown'))
}

async function introspect(): Promise<void> {
  const client = await world.aPublicClient(older)
  const { access_token: token } = await aPair(world, older, client, await world.aMember(older))
  const fields = { client_id: client.clientId, token }
  const answer = await done('', () => postForm(world, older, '/api/oauth/introspect', fields))
  expect(answer.json().active).toBe(true)
}

beforeAll(async () => {
  const ada = await world.aMember(school, ['owner', 'student'])
  world.context.directory.forget()
  await done('(school not known yet)', () => getFrom(world, school, '/.well-known/jwks.json'))
  const { profile, operator } = { profile: 'openid profile account:read', operator: 'school:read' }
  await authorize('public', school, await world.aPublicClient(school), ada, profile)
  await authorize('confidential', school, await world.aConfidentialClient(school), ada, profile)
  await authorize('vendor platform', school, CLAUDE, ada, `openid ${operator}`)
  await authorize(
    'tool of the school',
    school,
    await aTool(world, school),
    ada,
    'openid courses:read',
  )
  await done('', () => getFrom(world, school, '/clients/reports.json'))
  const olderMember = await world.aMember(older)
  await authorize('older', older, await world.aPublicClient(older), olderMember, profile)
  await introspect()
  const headers = { host: new URL(school.origin).host }
  const url = '/api/oauth/register'
  const payload = { client_name: 'Claude' }
  await done('', () => world.app.inject({ method: 'POST', url, headers, payload }))
})

test('no statement of the authorization server reads a whole table', async () => {
  const statements = answered.flatMap((request) => request.statements)
  expect(statements.length).toBeGreaterThan(15)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
})

testStatements('OAuth', () => answered)
