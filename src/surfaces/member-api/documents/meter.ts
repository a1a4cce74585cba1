import type { FieldNode, GraphQLError } from 'graphql/index.js'
import type { OutlineSource } from '../../../domain/learning/outline.ts'
import { TooManyRowsError } from '../../../foundation/db/keyset.ts'
import { TooManyRequestsError } from '../../../foundation/http/rate-limit.ts'
import type { Bill } from '../graphql-refusal.ts'
import { overLimit } from './limits.ts'
import { priceOfObject, type Sizes } from './prices.ts'

/** Rows of lists without pages that cost as much as one object of the answer. */
const ROWS_PER_OBJECT = 10

/**
 * Counts what a query costs while it is executed, and stops it at the limit: the estimate made from
 * the document cannot know how long lists without pages are. Whatever is counted is paid at once
 * from the allowance of the authorization, and looks at it again, so that many queries at a time
 * cannot each spend it.
 */
export class Meter {
  readonly #limit: number
  readonly #sizes: Sizes
  readonly #bill: Bill
  #cost = 0
  #stop: GraphQLError | TooManyRequestsError | undefined
  #turn: Promise<unknown> | undefined

  constructor(limit: number, sizes: Sizes, bill: Bill) {
    this.#limit = limit
    this.#sizes = sizes
    this.#bill = bill
  }

  get cost(): number {
    return this.#cost
  }

  /** Why the query was stopped; its answer must then not be sent. */
  get stoppedBy(): GraphQLError | TooManyRequestsError | undefined {
    return this.#stop
  }

  /** The price of one object whose fields are selected by these nodes. */
  priceOf(nodes: readonly FieldNode[]): number {
    let fields = 0
    for (const node of nodes) fields += this.#sizes.get(node) ?? 0
    return priceOfObject(fields)
  }

  /** Throws if the query was stopped or stops now; nothing more is then loaded or built for it. */
  spend(units: number): void {
    if (this.#stop !== undefined) throw this.#stop
    this.#cost += units
    this.#bill.spend(units)
    if (this.#cost > this.#limit) throw this.#stopWith(tooLong(this.#limit))
    if (this.#bill.isOverdrawn()) {
      throw this.#stopWith(new TooManyRequestsError(this.#bill.decide().retryAfterSeconds))
    }
  }

  /**
   * Runs the statement of a list without pages, and counts its rows. Such statements of one query
   * run one after another: forty aliases together would hold forty results before the first is
   * counted.
   */
  read<T>(load: () => Promise<T>, rowsIn: (loaded: T) => number): Promise<T> {
    const before = this.#turn
    const run = async (): Promise<T> => {
      await before
      this.spend(0)
      const loaded = await load().catch((error: unknown) => {
        throw error instanceof TooManyRowsError ? this.#stopWith(tooLong(this.#limit)) : error
      })
      this.spend(Math.floor(rowsIn(loaded) / ROWS_PER_OBJECT))
      return loaded
    }
    const turn = run()
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #stopWith<E extends GraphQLError | TooManyRequestsError>(reason: E): E {
    this.#stop ??= reason
    return reason
  }
}

function tooLong(limit: number): GraphQLError {
  return overLimit(
    'cost',
    limit,
    `Its answer would have more than about ${limit} objects, so it was stopped. Ask for smaller pages (first), for fewer lists at once, or under fewer aliases.`,
  )
}

/** Outlines of the cache count as well: a query must not cost more after a restart. */
export function meteredOutlines(outlines: OutlineSource, meter: Meter): OutlineSource {
  return {
    load: (db, courses) =>
      meter.read(
        () => outlines.load(db, courses),
        (found) => {
          let rows = 0
          for (const { sections, lectureCount } of found.values()) {
            rows += sections.length + lectureCount
          }
          return rows
        },
      ),
  }
}
