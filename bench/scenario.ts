import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { School } from '../src/domain/schools/school.ts'
import type { ContenderName } from './contenders/contender-names.ts'
import type { Play } from './play.ts'
import type { World } from './world/world.ts'

/** A pool, or one connection for the statements of all requests. */
export type Queries = Pick<pg.Pool, 'query'>

export interface FloorGivens {
  readonly pool: Queries
  /** One of the schools that get requests, for documents about a school. */
  readonly school: School
}

/** One kind of request, and its floor. */
export interface Scenario {
  readonly name: string
  readonly title: string
  /** The limit for our CPU, as a multiple of the floor's. */
  readonly bar: number
  /** The limits for our CPU, as multiples of these peers' CPU. */
  readonly against?: readonly { readonly peer: ContenderName; readonly bar: number }[]
  /** A short description of the floor for the table. */
  readonly least: string
  readonly peers: readonly ContenderName[]
  /** Factor for the number of starts: small answers differ more from process to process. */
  readonly moreStarts?: number
  /**
   * The share of the usual number of requests to warm up with, for a request that does the work of
   * many.
   */
  readonly warmUp?: number
  /**
   * Whether its rows die later: purge and vacuum of them are counted for ours and for the floor.
   */
  readonly leavesRows?: boolean
  /** Requests for contenders that serve our API on our tables: ours, the floor, GraphQL servers. */
  prepare(world: World, count: number): Promise<Play>
  /** The floor: bare Fastify and hand-written prepared statements. */
  addFloor(app: FastifyInstance, given: FloorGivens): void
  /** The same without Fastify, for documents, where Fastify is most of the work. */
  answerRaw?(given: FloorGivens): RequestListener
}
