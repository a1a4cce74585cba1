import { formPost } from '../play.ts'
import type { Scenario } from '../scenario.ts'
import { membersOfOlderSchools, mintPairs } from '../world/tokens.ts'
import { fingerprint } from './least.ts'

const LOOK = `
  select p.access_hash, p.scopes, p.issued_at, p.access_expires_at, a.user_id, a.resource, a.school_id
  from token_pairs p join authorizations a on a.id = p.authorization_id
  where p.id = $1 and a.client_id = $2 and p.revoked_at is null and a.revoked_at is null
    and p.access_expires_at > now()`

interface Row {
  access_hash: Buffer
  scopes: string[]
  issued_at: Date
  access_expires_at: Date
  user_id: string
  resource: string
  school_id: string
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

export const introspection: Scenario = {
  name: 'introspection',
  title: 'Introspection',
  bar: 1.5,
  least: 'one lookup of the token with its authorization',
  peers: [
    'oidc-provider-memory',
    'oidc-provider-postgres',
    'better-auth',
    'doorkeeper',
    'glewlwyd',
  ],
  async prepare(world) {
    const pairs = await mintPairs(world, membersOfOlderSchools(world, 500))
    const requests = pairs.map(({ host, clientId, accessToken }) =>
      formPost('/api/oauth/introspect', { client_id: clientId, token: accessToken }, { host }),
    )
    return { mode: 'repeat', requests, expect: 200, contains: '"active":true' }
  },
  addFloor(app, { pool }) {
    app.post<{ Body: { client_id: string; token: string } }>(
      '/api/oauth/introspect',
      async ({ body }) => {
        const token = fingerprint(body.token)
        const { rows } = await pool.query<Row>({
          name: 'look',
          text: LOOK,
          values: [token.id, body.client_id],
        })
        const row = rows[0]
        if (row === undefined || !row.access_hash.equals(token.hash)) return { active: false }
        return {
          active: true,
          scope: row.scopes.join(' '),
          client_id: body.client_id,
          token_type: 'Bearer',
          iat: seconds(row.issued_at),
          exp: seconds(row.access_expires_at),
          sub: row.user_id,
          aud: row.resource,
          school_id: row.school_id,
        }
      },
    )
  },
}
