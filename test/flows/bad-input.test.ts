import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, postForm, userinfo } from '../support/client-like.ts'
import { isLive } from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool({ variant: 'older' })
const client = await world.aConfidentialClient(school)
const ada = await world.aMember(school)
const PATHS = ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect'] as const

/** Every row that a request could have written or changed. */
async function fingerprint(): Promise<unknown> {
  const { rows } = await sql`
    select (select md5(string_agg(t::text, '' order by id)) from token_pairs t) as pairs,
      (select md5(string_agg(t::text, '' order by id)) from authorizations t) as authorizations,
      (select md5(string_agg(t::text, '' order by id)) from authorization_codes t) as codes,
      (select count(*) from audit_entries) as audit`.execute(world.database.db)
  return rows
}

const good = (token: string): string =>
  new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: client.clientId,
    client_secret: client.secret ?? '',
    resource: school.origin,
    refresh_token: token,
    token,
  }).toString()

const mistakes: readonly [string, (body: string) => string][] = [
  ['a NUL byte', (body) => `${body}&state=a%00b`],
  ['a NUL byte in the client_id', (body) => body.replace('client_id=', 'client_id=%00')],
  ['a NUL byte in the token', (body) => body.replace(/token=sg/g, 'token=%00sg')],
  ['a NUL byte in a name', (body) => `${body}&a%00b=c`],
  ['a line break in the secret', (body) => body.replace('client_secret=', 'client_secret=%0d%0a')],
  ['broken percent-encoding', (body) => `${body}&state=%zz`],
  ['half a percent-encoding', (body) => `${body}&state=%e`],
  ['bytes that are not UTF-8', (body) => `${body}&state=%ff%fe`],
  ['an overlong UTF-8 NUL', (body) => `${body}&state=%c0%80`],
  ['raw non-ASCII', (body) => `${body}&state=ä`],
  ['a 200 KB field', (body) => `${body}&state=${'x'.repeat(200_000)}`],
  ['a 20 KB field', (body) => `${body}&state=${'x'.repeat(20_000)}`],
  ['a thousand fields', (body) => body + '&x=1'.repeat(1000)],
  ['client_id twice', (body) => `${body}&client_id=${client.clientId}`],
  ['client_secret twice', (body) => `${body}&client_secret=x`],
  ['grant_type twice', (body) => `${body}&grant_type=authorization_code`],
  ['the token twice', (body) => `${body}&refresh_token=x&token=x`],
  ['an unknown parameter twice', (body) => `${body}&foo=1&foo=2`],
]

describe('a broken form is a 4xx that says what to change, and writes nothing', () => {
  for (const [what, breakForm] of mistakes) {
    verifies(['token.repeated-parameter', 'token.body-limit'], `${what} is refused`, async () => {
      const pair = await aPair(world, school, client, ada)
      const before = await fingerprint()
      for (const path of PATHS) {
        const answer = await postForm(world, school, path, breakForm(good(pair.refresh_token)))
        expect(answer.statusCode, path).toBeGreaterThanOrEqual(400)
        expect(answer.statusCode, path).toBeLessThan(500)
        expect(answer.json()).toEqual({
          error: 'invalid_request',
          error_description: expect.stringMatching(/\S/),
          error_uri: `${school.origin}/docs/errors#invalid_request`,
        })
        expect(answer.body).not.toContain(client.secret)
      }
      expect(await fingerprint()).toEqual(before)
      expect(await isLive(world, pair)).toBe(true)
    })
  }

  verifies(
    ['token.content-type', 'oauth.bodies.form-in', 'trouble.content-type-500'],
    'a body that is not a form, or without a valid Content-Type, is invalid_request',
    async () => {
      const pair = await aPair(world, school, client, ada)
      const body = good(pair.refresh_token)
      const json = JSON.stringify(Object.fromEntries(new URLSearchParams(body)))
      const types: readonly [string, string][] = [
        ['application/json', json],
        ['application/json', '{'],
        ['text/plain', body],
        ['multipart/form-data; boundary=x', `--x\r\n\r\n${body}\r\n--x--`],
        ['application/x-www-form-urlencoded-but-not', body],
        ['nonsense', body],
        ['/;;=', body],
        ['', body],
      ]
      const before = await fingerprint()
      for (const path of PATHS) {
        for (const [type, payload] of types) {
          const answer = await postForm(world, school, path, payload, { 'content-type': type })
          expect([400, 415], `${path} ${type}`).toContain(answer.statusCode)
          expect(answer.json().error).toBe('invalid_request')
        }
        const bare = await world.app.inject({
          method: 'POST',
          url: path,
          headers: { host: new URL(school.origin).host },
        })
        expect([bare.statusCode, bare.json().error]).toEqual([400, 'invalid_request'])
        expect(bare.json().error_description).toContain('application/x-www-form-urlencoded')
      }
      expect(await fingerprint()).toEqual(before)
    },
  )

  test('a form may name its charset, in upper or lower case', async () => {
    const pair = await aPair(world, school, client, ada)
    const type = 'Application/X-WWW-Form-Urlencoded; charset=UTF-8'
    const answer = await postForm(world, school, '/api/oauth/token', good(pair.refresh_token), {
      'content-type': type,
    })
    expect(answer.statusCode).toBe(200)
  })

  test('parameters in the query string are not read', async () => {
    const pair = await aPair(world, school, client, ada)
    const path = `/api/oauth/token?${good(pair.refresh_token)}`
    const answer = await postForm(world, school, path, 'grant_type=refresh_token')
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request'])
  })

  test('a parameter without a value counts as omitted (RFC 6749 §3.1)', async () => {
    const app = await world.aPublicClient(school)
    const pair = await aPair(world, school, app, ada)
    const answer = await postForm(world, school, '/api/oauth/token', {
      grant_type: 'refresh_token',
      client_id: app.clientId,
      client_secret: '',
      scope: '',
      resource: school.origin,
      refresh_token: pair.refresh_token,
    })
    expect(answer.statusCode).toBe(200)
  })
})

describe('hostile values where a name is expected', () => {
  const values = [
    "' or 1=1 --",
    '../../etc/passwd',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '%',
    '\\',
    '💥',
    'a'.repeat(8000),
    'constructor',
    'null',
  ]
  test('get the same answer as an unknown client, and the answer does not repeat them', async () => {
    const known = await postForm(world, school, '/api/oauth/token', {
      grant_type: 'refresh_token',
      client_id: 'unknown',
      refresh_token: 'x',
    })
    for (const client_id of values) {
      const answer = await postForm(world, school, '/api/oauth/token', {
        grant_type: 'refresh_token',
        client_id,
        refresh_token: 'x',
      })
      expect([answer.statusCode, answer.body]).toEqual([401, known.body])
    }
  })

  test('as an unknown grant type are not repeated in the refusal', async () => {
    for (const grant_type of values) {
      const answer = await postForm(world, school, '/api/oauth/token', {
        grant_type,
        client_id: client.clientId,
      })
      expect(answer.json().error).toBe('unsupported_grant_type')
      expect(answer.body).not.toContain('<script>')
    }
  })

  test('as bodies of UserInfo are ignored, except that a too long one is 413', async () => {
    const pair = await aPair(world, school, client, ada)
    const send = (payload: string, type: string) =>
      world.app.inject({
        method: 'POST',
        url: '/api/oauth/userinfo',
        headers: {
          host: new URL(school.origin).host,
          authorization: `Bearer ${pair.access_token}`,
          'content-type': type,
        },
        payload,
      })
    expect((await send('x'.repeat(200_000), 'text/plain')).statusCode).toBe(413)
    expect((await send('\0', 'application/json')).statusCode).toBe(200)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  })
})
