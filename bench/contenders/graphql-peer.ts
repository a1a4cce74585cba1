import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import { loadCourses } from '../scenarios/syllabus-sql.ts'
import { findMember, type Member } from '../scenarios/viewer-sql.ts'
import { POOL } from './serve.ts'

/**
 * The schema of both GraphQL servers: the fields that the scenarios select, with the floor's SQL.
 */
export const typeDefs = `
  type Query { viewer: Viewer }
  type Viewer { id: ID! enrolledCourses: Courses! }
  type Courses { nodes: [Course!]! }
  type Course { slug: String! detailProgress: Progress! sections: [Section!]! }
  type Progress { percent: Int! totalLectures: Int! }
  type Section { title: String! lectures: [Lecture!]! }
  type Lecture { id: ID! title: String! state: String! isLocked: Boolean! unlockAt: String duration: Int! }`

export const pool = new pg.Pool(POOL)

export interface MemberContext {
  readonly member: Member
}

export async function memberContext(request: FastifyRequest): Promise<MemberContext> {
  const member = await findMember(pool, request)
  if (member === undefined) throw new Error('invalid token')
  return { member }
}

export const resolvers = {
  Query: { viewer: (_root: unknown, _args: unknown, { member }: MemberContext) => member },
  Viewer: {
    id: (member: Member) => member.user_id,
    enrolledCourses: async (member: Member) => ({ nodes: await loadCourses(pool, member) }),
  },
}
