import type { Scenario } from '../scenario.ts'
import { members, mintPairs } from '../world/tokens.ts'
import { bearer, refuse } from './least.ts'

const WHO = `
  select p.access_hash, a.school_id, a.user_id, u.name, u.email, u.avatar_url, m.roles
  from token_pairs p
    join authorizations a on a.id = p.authorization_id
    join users u on u.id = a.user_id
    join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
  where p.id = $1 and p.revoked_at is null and a.revoked_at is null and p.access_expires_at > now()`

interface Row {
  access_hash: Buffer
  school_id: string
  user_id: string
  name: string
  email: string
  avatar_url: string
  roles: string[]
}

export const userinfo: Scenario = {
  name: 'userinfo',
  title: 'UserInfo',
  bar: 1.3,
  least: 'one lookup of the token with its person and roles',
  peers: [
    'floor+pipelined',
    'ours-logging',
    'oidc-provider-memory',
    'oidc-provider-postgres',
    'better-auth',
    'doorkeeper',
    'glewlwyd',
  ],
  async prepare(world) {
    const pairs = await mintPairs(world, members(world, Math.max(500, world.asked)))
    const requests = pairs.map(({ host, accessToken }) => ({
      method: 'GET' as const,
      path: '/api/oauth/userinfo',
      headers: { host, authorization: `Bearer ${accessToken}` },
    }))
    return { mode: 'repeat', requests, expect: 200, contains: '"sub"' }
  },
  addFloor(app, { pool }) {
    app.get('/api/oauth/userinfo', async (request, reply) => {
      const token = bearer(request)
      const { rows } = await pool.query<Row>({ name: 'who', text: WHO, values: [token.id] })
      const row = rows[0]
      if (row === undefined || !row.access_hash.equals(token.hash)) return refuse(reply)
      return {
        sub: row.user_id,
        org_id: row.school_id,
        roles: row.roles,
        name: row.name,
        picture: row.avatar_url,
        email: row.email,
      }
    })
  },
}
