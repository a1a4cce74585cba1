import type { Scenario } from '../scenario.ts'
import { mintPairs, owners } from '../world/tokens.ts'
import { refuse } from './least.ts'
import { findMember } from './viewer-sql.ts'

const MEMBERS = `
  select m.user_id as id, u.name, u.email, u.avatar_url as picture_url, m.invited_at, m.invitation_opened_at,
    m.signed_in_at as first_signed_in_at, m.roles, m.joined_at, m.updated_at, m.version
  from school_members m join users u on u.id = m.user_id
  where m.school_id = $1 and m.roles <> '{}' and u.deleted_at is null
  order by m.joined_at desc, m.user_id desc limit 51`

export const adminList: Scenario = {
  name: 'admin-list',
  title: 'Admin API, list of 50 members',
  bar: 1.5,
  least: 'one lookup of the token and one select of the page',
  peers: [],
  async prepare(world) {
    const pairs = await mintPairs(world, owners(world, 100))
    const requests = pairs.map(({ host, accessToken }) => ({
      method: 'GET' as const,
      path: '/api/v1/members?limit=50',
      headers: { host, authorization: `Bearer ${accessToken}` },
    }))
    return { mode: 'repeat', requests, expect: 200, contains: '"id"' }
  },
  addFloor(app, { pool }) {
    app.get('/api/v1/members', async (request, reply) => {
      const member = await findMember(pool, request)
      if (member === undefined) return refuse(reply)
      const { rows } = await pool.query<object>({
        name: 'members',
        text: MEMBERS,
        values: [member.school_id],
      })
      return { data: rows.slice(0, 50).map((row) => ({ object: 'member', ...row })) }
    })
  },
}
