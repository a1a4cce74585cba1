import { sql } from 'kysely'
import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, postForm, refresh, userinfo } from '../support/client-like.ts'
import { aCode, getFrom } from '../support/oauth-world.ts'
import { aWorld, type TestClient } from '../support/world.ts'

/** `resource` in the query of the token URL (RFC 6749 §3.2, RFC 8707 §2.2). */
const lines: string[] = []
const world = await aWorld({ log: { write: (line) => lines.push(line) } })
const newer = await world.aSchool()
const older = await world.aSchool({ variant: 'older', signing: 'none' })
const PATH = '/api/oauth/token'

const schools = [
  ['newer', newer, await world.aPublicClient(newer), await world.aMember(newer)],
  ['older', older, await world.aConfidentialClient(older), await world.aMember(older)],
] as const

function fieldsOf(client: TestClient, fields: Record<string, string>) {
  return { client_id: client.clientId, client_secret: client.secret, ...fields }
}

/** Every row that a token request could have written or changed. */
async function fingerprint(): Promise<unknown> {
  const { rows } = await sql`
    select (select md5(string_agg(t::text, '' order by id)) from token_pairs t) as pairs,
      (select md5(string_agg(t::text, '' order by id)) from authorizations t) as authorizations,
      (select md5(string_agg(t::text, '' order by id)) from authorization_codes t) as codes,
      (select count(*) from audit_entries) as audit`.execute(world.database.db)
  return rows
}

for (const [variant, school, client, ada] of schools) {
  const inUrl = (value: string) => `${PATH}?resource=${encodeURIComponent(value)}`

  verifies(
    'token.resource.in-url',
    `${variant}: a client with resource in its token URL alone exchanges and refreshes`,
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const fields = { code, code_verifier: pkce.verifier, redirect_uri: client.redirectUri }
      const exchanged = await postForm(
        world,
        school,
        inUrl(school.origin),
        fieldsOf(client, { grant_type: 'authorization_code', ...fields }),
      )
      expect(exchanged.json()).toMatchObject({ school_id: school.id })
      const refreshed = await postForm(
        world,
        school,
        inUrl(`${school.origin}/`),
        fieldsOf(client, {
          grant_type: 'refresh_token',
          refresh_token: exchanged.json().refresh_token,
        }),
      )
      const { access_token } = refreshed.json()
      expect((await userinfo(world, school, access_token)).statusCode).toBe(200)
      for (const document of ['oauth-authorization-server', 'openid-configuration']) {
        const metadata = (await getFrom(world, school, `/.well-known/${document}`)).json()
        expect(metadata.token_endpoint).toBe(school.origin + PATH)
      }
    },
  )

  verifies(
    'token.resource.in-both',
    `${variant}: in both places it must name one origin, and other origins are invalid_target`,
    async () => {
      const pair = await aPair(world, school, client, ada)
      const ask = (url: string, resource: string | undefined) =>
        postForm(world, school, url, {
          ...fieldsOf(client, { grant_type: 'refresh_token', refresh_token: pair.refresh_token }),
          resource,
        })
      const other = 'https://other.example'
      const before = await fingerprint()
      for (const [url, resource, code] of [
        [inUrl(school.origin), other, 'invalid_request'],
        [inUrl(other), school.origin, 'invalid_request'],
        [`${inUrl(school.origin)}&resource=${school.origin}`, undefined, 'invalid_request'],
        [`${inUrl(school.origin)}&resource=${other}`, undefined, 'invalid_request'],
        [`${PATH}?resource=%zz`, undefined, 'invalid_request'],
        [`${PATH}?resource=a%00b`, undefined, 'invalid_request'],
      ] as const) {
        const answer = await ask(url, resource)
        expect([url, answer.statusCode, answer.json().error]).toEqual([url, 400, code])
        expect(answer.json().error_description).toContain('resource')
      }
      expect(await fingerprint()).toEqual(before)
      expect((await ask(`${PATH}?resource=`, undefined)).json().error).toBe('invalid_request')
      for (const [url, resource] of [
        [inUrl(other), undefined],
        [inUrl('no URL'), undefined],
        [inUrl(other), other],
      ] as const) {
        expect((await ask(url, resource)).json().error).toBe('invalid_target')
      }
      expect((await ask(inUrl(`${school.origin}/mcp`), school.origin)).statusCode).toBe(200)
    },
  )

  verifies(
    ['token.url.only-resource', 'token.refused-keeps-code'],
    `${variant}: a secret, a token or any other OAuth parameter in the URL is refused, unlogged and unused`,
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const pair = await aPair(world, school, client, ada)
      const secrets = {
        client_id: client.clientId,
        client_secret: client.secret ?? 'guessed-secret',
        code,
        code_verifier: pkce.verifier,
        refresh_token: pair.refresh_token,
        grant_type: 'refresh_token',
        scope: 'openid',
        token: pair.access_token,
        redirect_uri: client.redirectUri,
      }
      const before = await fingerprint()
      lines.length = 0
      for (const [name, value] of Object.entries(secrets)) {
        const url = `${inUrl(school.origin)}&${name}=${encodeURIComponent(value)}`
        const { [name as 'code']: _, ...rest } = secrets
        for (const body of [secrets, rest]) {
          const answer = await postForm(world, school, url, { ...body })
          expect([name, answer.statusCode, answer.json()]).toEqual([
            name,
            400,
            {
              error: 'invalid_request',
              error_description: `Send ${name} in the form body: URLs get into logs. Only resource may be in the token URL.`,
              error_uri: `${school.origin}/docs/errors#invalid_request`,
            },
          ])
        }
      }
      expect(await fingerprint()).toEqual(before)
      const log = lines.join('')
      expect(log).toContain(`"route":"${PATH}"`)
      for (const part of [secrets.client_secret, code, pkce.verifier, pair.refresh_token, '?']) {
        expect(log).not.toContain(part)
      }
      expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
    },
  )
}

verifies(
  'token.resource.in-url',
  'a parameter that OAuth does not define is ignored beside it',
  async () => {
    const [, school, client, ada] = schools[0]
    const pair = await aPair(world, school, client, ada)
    const url = `${PATH}?tenant=1&resource=${encodeURIComponent(school.origin)}`
    const fields = { grant_type: 'refresh_token', refresh_token: pair.refresh_token }
    const answer = await postForm(world, school, url, fieldsOf(client, fields))
    expect(answer.statusCode).toBe(200)
  },
)
