import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../spec/verifies.ts'
import { type Answer, authorizeAs } from '../support/browser-like.ts'
import { postForm } from '../support/client-like.ts'
import { CLAUDE } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const other = await world.aSchool()

function register(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  return postForm(world, school, '/api/oauth/register', payload, {
    'content-type': 'application/json',
    ...headers,
  })
}

const CLAUDE_ANSWER = {
  client_id: 'claude',
  client_name: 'Claude',
  redirect_uris: [
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'http://localhost/callback',
    'http://127.0.0.1/callback',
  ],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: SCOPES_OF_AUDIENCE.operator.toString(),
}

describe('a known platform', () => {
  verifies(
    [
      'register.allowlist.match',
      'register.answer.members',
      'register.json-or-form',
      'register.same-id-each-time',
      'client.member.no-self-registration',
    ],
    'gets its own client_id, the same by JSON and by form, each time and at every school',
    async () => {
      const json = await register({ client_name: 'Claude' })
      const path = '/api/oauth/register'
      const form = await postForm(world, school, path, { client_name: 'Claude' })
      const elsewhere = await postForm(world, other, path, { client_name: 'Claude' })
      for (const answer of [json, form, elsewhere]) {
        expect(answer.statusCode).toBe(201)
        expect(answer.headers['cache-control']).toBe('no-store')
        expect(answer.json()).toEqual(CLAUDE_ANSWER)
        expect(answer.json().scope).not.toContain('account:')
      }
    },
  )

  verifies(
    'register.body.changes-nothing',
    'cannot change its redirect URIs, scopes or auth method by its request',
    async () => {
      const answer = await register({
        client_name: 'Claude',
        redirect_uris: ['https://evil.test/callback'],
        scope: 'account:read account:write',
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['client_credentials'],
        client_id: 'mine',
        client_secret: 'mine',
      })
      expect(answer.json()).toEqual(CLAUDE_ANSWER)
      expect((await register({ client_name: 'Claude' })).json()).toEqual(CLAUDE_ANSWER)
    },
  )

  verifies(
    ['trouble.registrations-pile-up', 'trouble.row-cap-locks-out'],
    'adds no row, also if it registers many times',
    async () => {
      const count = () =>
        world.database.db
          .selectFrom('clients')
          .select((eb) => eb.fn.countAll<number>().as('rows'))
          .executeTakeFirstOrThrow()
      const before = await count()
      for (let time = 0; time < 20; time++) await register({ client_name: 'ChatGPT' })
      expect(await count()).toEqual(before)
    },
  )

  verifies(
    ['register.account-read.reserved', 'scope.account.member-only'],
    'that asks for account:read is refused with invalid_scope',
    async () => {
      const owner = await world.aMember(school, ['owner'])
      for (const scope of ['account:read', 'account:write', 'school:read account:read']) {
        const callback = await authorizeAs(world, school, CLAUDE, owner, { scope })
        expect(callback.get('error')).toBe('invalid_scope')
      }
    },
  )
})

describe('any other registration is 400 invalid_client_metadata', () => {
  const bodies: readonly [string, unknown][] = [
    ['an unknown name', { client_name: 'Unheard Of' }],
    ['another letter case', { client_name: 'claude' }],
    ['a space behind the name', { client_name: 'Claude ' }],
    ['a NUL in the name', { client_name: 'Claude\u0000' }],
    ['a lone surrogate', '{"client_name":"Claude\\ud800"}'],
    ['a list of names', { client_name: ['Claude'] }],
    ['a number', { client_name: 7 }],
    ['no name', { redirect_uris: ['https://example.test/cb'] }],
    [
      'a whole RFC 7591 registration',
      {
        client_name: 'My App',
        redirect_uris: ['https://example.test/cb'],
        software_statement: 'e30.e30.',
        token_endpoint_auth_method: 'none',
      },
    ],
    ['null', null],
    ['an array', [{ client_name: 'Claude' }]],
    ['a string', '"Claude"'],
    ['no JSON', '{"client_name":'],
    ['nothing', ''],
    ['a poisoned object', '{"client_name":"Claude","__proto__":{"a":1}}'],
  ]
  for (const [what, body] of bodies) {
    verifies(
      [
        'register.unknown.refused',
        'register.unknown.whatever-body',
        'register.malformed',
        'register.name.exact',
      ],
      `${what} is refused`,
      async () => {
        const answer = await register(body)
        expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_client_metadata'])
        expect(answer.json().error_description).toMatch(/\S/)
      },
    )
  }

  verifies(
    'register.unknown.known-names',
    'its description lists the known names of this moment, however many there are',
    async () => {
      const describeTo = async (client_name: string) =>
        (await register({ client_name })).json().error_description
      const known = 'Known, matched exactly: ChatGPT, Claude, Cursor, Visual Studio Code.'
      expect(await describeTo('claude')).toContain(known)
      const platforms = world.database.db
      const disabled = { client_id: 'off', client_name: 'AAA', redirect_uris: ['https://a.test/'] }
      await platforms
        .insertInto('vendor_platforms')
        .values({ ...disabled, disabled_at: new Date() })
        .execute()
      expect(await describeTo('AAA')).toContain(known)
      const added = Array.from({ length: 60 }, (_, number) => ({
        client_id: `added-${number}`,
        client_name: `Added platform ${number}`,
        redirect_uris: ['https://added.example/callback'],
      }))
      await platforms.insertInto('vendor_platforms').values(added).execute()
      try {
        const long = await describeTo('claude')
        expect(long).toMatch(/exactly: Added platform 0, .*, Added platform \d+ and others\. Any/)
        expect(long.endsWith(`See ${school.origin}/docs#assistants`)).toBe(true)
      } finally {
        await platforms
          .deleteFrom('vendor_platforms')
          .where('client_id', 'like', 'added-%')
          .execute()
      }
      expect(await describeTo('claude')).toContain(known)
    },
  )

  test('a body of another type or without one, and a form that is broken', async () => {
    const types: readonly [string, string][] = [
      ['text/plain', 'client_name=Claude'],
      ['multipart/form-data; boundary=x', '--x--'],
      ['application/x-www-form-urlencoded', 'client_name=%zz'],
      ['application/x-www-form-urlencoded', 'client_name=Claude&client_name=Claude'],
      ['nonsense', 'x'],
    ]
    for (const [type, body] of types) {
      const answer = await register(body, { 'content-type': type })
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_client_metadata'])
    }
  })

  test('a body beyond 64 KiB is 413 with the same error', async () => {
    const answer = await register({ client_name: 'Claude', filler: 'x'.repeat(200_000) })
    expect([answer.statusCode, answer.json().error]).toEqual([413, 'invalid_client_metadata'])
  })
})
