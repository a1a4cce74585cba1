import { readFileSync } from 'node:fs'
import { buildSchema, findBreakingChanges } from 'graphql/index.js'
import { expect } from 'vitest'
import { variables } from '../../src/variables.ts'
import { verifies } from '../spec/verifies.ts'
import { authorizeAs, Visitor } from '../support/browser-like.ts'
import { aPair, postForm, refresh } from '../support/client-like.ts'
import { aWorld, PASSWORD } from '../support/world.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

verifies(
  'house.secured',
  'a request without a credential gets no personal and no administrative data',
  async () => {
    const world = await aWorld()
    const school = await world.aSchool()
    await world.aMember(school)
    const headers = { host: new URL(school.origin).host, 'content-type': 'application/json' }
    const payload = '{"query":"{ viewer { email } }"}'
    const protectedRoutes = [
      { method: 'GET', url: '/api/oauth/userinfo' },
      { method: 'POST', url: '/member/graphql', payload },
      { method: 'GET', url: '/api/v1/courses' },
    ] as const
    for (const route of protectedRoutes) {
      const answer = await world.app.inject({ ...route, headers })
      expect(answer.statusCode).toBe(401)
      expect(answer.body).not.toContain('@people.test')
    }
    for (const url of ['/account', '/account/apps', '/admin', '/admin/developers/applications']) {
      const answer = await world.app.inject({ url, headers: { ...headers, accept: 'text/html' } })
      expect(answer.statusCode).toBe(303)
      expect(answer.headers.location).toContain('/sign-in')
    }
  },
)

verifies(
  'house.logs.no-secrets',
  'a session from sign-in to revocation writes no token, code, secret, password, cookie or email to the log',
  async () => {
    let log = ''
    const world = await aWorld({
      log: {
        write: (line: string) => {
          log += line
        },
      },
    })
    const school = await world.aSchool()
    const client = await world.aConfidentialClient(school)
    const person = await world.aMember(school)
    const pair = await aPair(world, school, client, person)
    await refresh(world, school, client, pair.refresh_token)
    await refresh(world, school, client, `${pair.refresh_token}x`, {
      client_secret: 'wrong-secret',
    })
    const callback = await authorizeAs(world, school, client, person)
    await postForm(world, school, '/api/oauth/token', `code=${callback.get('code')}&code=again`)
    const visitor = new Visitor(world, school)
    await visitor.signIn(await visitor.get('/sign-in'), person, 'a wrong password')
    expect(log).toContain('"route":"/api/oauth/token"')
    const secrets = [
      PASSWORD,
      'a wrong password',
      client.secret ?? 'none',
      'wrong-secret',
      person.email,
      'sg_at_',
      'sg_rt_',
      'sg_ac_',
      'sg_ss_',
    ]
    for (const secret of secrets) expect(log).not.toContain(secret)
  },
)

verifies('house.limits.json-body', 'a JSON body beyond its limit is 413', async () => {
  const world = await aWorld({ limits: { jsonBodyBytes: 10_000 } })
  const school = await world.aSchool()
  const client = await world.aPublicClient(school)
  const pair = await aPair(world, school, client, await world.aMember(school))
  const answer = await world.app.inject({
    method: 'POST',
    url: '/member/graphql',
    headers: {
      host: new URL(school.origin).host,
      authorization: `Bearer ${pair.access_token}`,
      'content-type': 'application/json',
    },
    payload: JSON.stringify({ query: `{ viewer { id } } # ${'x'.repeat(10_000)}` }),
  })
  expect(answer.statusCode).toBe(413)
  expect(variables.JSON_BODY_BYTES.fallback).toBe(String(1024 * 1024))
})

verifies(
  'house.limits.configurable',
  'every limit is a variable that docs/settings.md explains',
  () => {
    const settings = read('docs/settings.md')
    const limits = Object.keys(variables).filter((name) => /RATE|BODY|GRAPHQL|TIMEOUT/.test(name))
    expect(limits.length).toBeGreaterThanOrEqual(9)
    for (const name of limits) expect(settings).toContain(`| \`${name}\` |`)
  },
)

verifies('house.versioning.rest-path', 'every REST path begins with its version', async () => {
  const world = await aWorld()
  const { origin } = await world.aSchool()
  const headers = { host: new URL(origin).host }
  const document: { paths: Record<string, unknown> } = (
    await world.app.inject({ url: '/openapi.json', headers })
  ).json()
  expect(Object.keys(document.paths)).not.toEqual([])
  for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/api\/v1\//)
})

/** Changes since the last release that break no document. */
const WIDENED: Readonly<Record<string, readonly string[]>> = {
  // A document that declares its variables Int is accepted as before: meeting.filter.int-variables.
  'schema.graphql': ['startedAfter', 'startedBefore'].map(
    (bound) => `ConsultingMeetingFilter.${bound} changed type from Int to UnixTime.`,
  ),
}

/**
 * The schema of the last release. A release replaces these files; until then the schema may gain
 * fields, and loses none.
 */
verifies(
  'house.versioning.graphql-additive',
  'the Member API still has everything of the last release',
  () => {
    for (const name of ['schema.graphql', 'schema.older.graphql']) {
      const released = buildSchema(read(`test/fixtures/released/${name}`))
      const current = buildSchema(read(`src/surfaces/member-api/${name}`))
      const changes = findBreakingChanges(released, current).map(({ description }) => description)
      expect(changes.filter((change) => WIDENED[name]?.includes(change) !== true)).toEqual([])
    }
  },
)

verifies('house.versioning.changelog', 'the changelog lists what is new', () => {
  const [, newest] = /^## (\S+)[^\n]*\n\n- /m.exec(read('CHANGELOG.md')) ?? []
  expect(['Unreleased', JSON.parse(read('package.json')).version]).toContain(newest)
})

verifies(
  'trouble.old-token-unexplained',
  'the documents say why and until when an old token still works',
  () => {
    expect(read('docs/integrators.md')).toContain('its first use anywhere revokes the old pair')
    expect(read('SECURITY.md')).toContain(
      'the old pair lives until the new access token is first used',
    )
  },
)
