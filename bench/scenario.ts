import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { School } from '../src/domain/schools/school.ts'
import type { ContenderName } from './contenders/contender-names.ts'
import type { Play } from './play.ts'
import type { World } from './world/world.ts'

/** A pool, or one connection that takes the statements of everybody. */
export type Queries = Pick<pg.Pool, 'query'>

export interface FloorGivens {
  readonly pool: Queries
  /** One of those that are asked, for documents that tell of a school. */
  readonly school: School
}

/** One thing that clients do, and what it would cost if nothing but the least were done. */
export interface Scenario {
  readonly name: string
  readonly title: string
  /** How many times the floor's CPU ours may take. */
  readonly bar: number
  /** Peers whose CPU it must stay below, and by how much. */
  readonly against?: readonly { readonly peer: ContenderName; readonly bar: number }[]
  /** What the floor does, in a few words for the table. */
  readonly least: string
  readonly peers: readonly ContenderName[]
  /** How many times as many starts as others it needs: the smaller an answer, the more they differ. */
  readonly moreStarts?: number
  /** Requests for contenders that serve our API on our tables: ours, the floor, GraphQL servers. */
  prepare(world: World, count: number): Promise<Play>
  /** The least the endpoint could do: bare Fastify and hand-written prepared statements. */
  addFloor(app: FastifyInstance, given: FloorGivens): void
}
