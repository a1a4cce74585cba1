import { createHash } from 'node:crypto'
import { generateEs256Key, readPrivateKey, signEs256 } from '../../src/foundation/crypto/es256.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { formPost } from '../play.ts'
import type { Scenario } from '../scenario.ts'
import { CODE_VERIFIER, members, mintCodes, REDIRECT_URI } from '../world/tokens.ts'
import { fingerprint, mint, refuse } from './least.ts'

const EXCHANGE = `
  with code as (
    update authorization_codes set consumed_at = now(), pair_id = $3
    where id = $1 and hash = $2 and consumed_at is null and expires_at > now()
      and client_id = $7 and redirect_uri = $8 and code_challenge = $9
    returning *),
  opened as (
    insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, code_id)
    select $4, school_id, client_id, user_id, audience, scopes, resource, id from code),
  minted as (
    insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
      access_expires_at, refresh_expires_at)
    select $3, $4, school_id, scopes, $5, $6, now() + interval '2 hours', now() + interval '90 days'
    from code)
  select code.school_id, code.user_id, code.scopes, code.nonce, code.resource, u.name, u.email, u.avatar_url, m.roles
  from code join users u on u.id = code.user_id
    join school_members m on m.school_id = code.school_id and m.user_id = code.user_id`

interface Row {
  school_id: string
  user_id: string
  scopes: string[]
  nonce: string
  resource: string
  name: string
  email: string
  avatar_url: string
  roles: string[]
}

export const codeExchange: Scenario = {
  name: 'code-exchange',
  title: 'Code exchange with an ID token',
  bar: 1.6,
  least:
    'one statement that consumes the code and inserts authorization and pair; one ES256 signature',
  peers: ['oidc-provider-memory', 'oidc-provider-postgres', 'better-auth'],
  async prepare(world, count) {
    const codes = await mintCodes(world.pool, members(world, count))
    const requests = codes.map(({ host, clientId, code }) =>
      formPost(
        '/api/oauth/token',
        {
          grant_type: 'authorization_code',
          client_id: clientId,
          code,
          code_verifier: CODE_VERIFIER,
          redirect_uri: REDIRECT_URI,
          resource: `http://${host}`,
        },
        { host },
      ),
    )
    return { mode: 'once', requests, expect: 200, contains: '"id_token"' }
  },
  addFloor(app, { pool }) {
    const { kid, privateKey } = generateEs256Key()
    const key = readPrivateKey(privateKey)
    app.post<{ Body: Record<'code' | 'client_id' | 'redirect_uri' | 'code_verifier', string> }>(
      '/api/oauth/token',
      async ({ body }, reply) => {
        const code = fingerprint(body.code)
        const { id, access, refresh } = mint()
        const challenge = createHash('sha256').update(body.code_verifier).digest('base64url')
        const { rows } = await pool.query<Row>({
          name: 'exchange',
          text: EXCHANGE,
          values: [
            code.id,
            code.hash,
            id,
            uuidv7(),
            access.hash,
            refresh.hash,
            body.client_id,
            body.redirect_uri,
            challenge,
          ],
        })
        const row = rows[0]
        if (row === undefined) return refuse(reply)
        const now = Math.floor(Date.now() / 1000)
        return {
          access_token: access.value,
          token_type: 'Bearer',
          expires_in: 7200,
          refresh_token: refresh.value,
          scope: row.scopes.join(' '),
          id_token: signEs256(key, kid, {
            iss: row.resource,
            aud: body.client_id,
            exp: now + 600,
            iat: now,
            nonce: row.nonce,
            sub: row.user_id,
            org_id: row.school_id,
            roles: row.roles,
            name: row.name,
            picture: row.avatar_url,
            email: row.email,
          }),
        }
      },
    )
  },
}
