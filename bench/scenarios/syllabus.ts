import type { Scenario } from '../scenario.ts'
import { mintPairs, readers } from '../world/tokens.ts'
import { graphqlRequest } from './graphql-request.ts'
import { refuse } from './least.ts'
import { loadCourses } from './syllabus-sql.ts'
import { findMember } from './viewer-sql.ts'

const SYLLABUS = `{ viewer { enrolledCourses { nodes { slug detailProgress { percent totalLectures }
  sections { title lectures { id title state isLocked unlockAt duration } } } } } }`

export const syllabus: Scenario = {
  name: 'syllabus',
  title: 'Member API, 500 lectures with progress',
  bar: 1.3,
  least:
    'a hand-written endpoint that sends the same JSON, no GraphQL; it reads the outline each time, which ours keeps in memory until it changes',
  peers: ['yoga', 'mercurius'],
  warmUp: 0.1,
  async prepare(world) {
    const pairs = await mintPairs(world, readers(world))
    const requests = pairs.map((pair) => graphqlRequest(pair, SYLLABUS))
    return { mode: 'repeat', requests, expect: 200, contains: '"totalLectures"' }
  },
  addFloor(app, { pool }) {
    app.post('/member/graphql', async (request, reply) => {
      const member = await findMember(pool, request)
      if (member === undefined) return refuse(reply)
      return {
        data: { viewer: { enrolledCourses: { nodes: await loadCourses(pool, member) } } },
      }
    })
  },
}
