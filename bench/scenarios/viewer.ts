import type { Scenario } from '../scenario.ts'
import { members, mintPairs } from '../world/tokens.ts'
import { graphqlRequest } from './graphql-request.ts'
import { refuse } from './least.ts'
import { findMember } from './viewer-sql.ts'

export const viewer: Scenario = {
  name: 'viewer',
  title: 'Member API, `{ viewer { id } }`',
  bar: 1.5,
  least: 'one lookup of the token, no GraphQL',
  peers: ['yoga', 'mercurius'],
  async prepare(world) {
    const pairs = await mintPairs(world, members(world, 500))
    const requests = pairs.map((pair) => graphqlRequest(pair, '{ viewer { id } }'))
    return { mode: 'repeat', requests, expect: 200, contains: '"data":{"viewer":{"id"' }
  },
  addFloor(app, { pool }) {
    app.post('/member/graphql', async (request, reply) => {
      const member = await findMember(pool, request)
      if (member === undefined) return refuse(reply)
      return { data: { viewer: { id: member.user_id } } }
    })
  },
}
