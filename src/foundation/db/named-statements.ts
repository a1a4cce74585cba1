import type pg from 'pg'
import { sha256 } from '../crypto/digest.ts'
import { PLANNED_EACH_TIME } from './contains-words.ts'
import { DatabaseUnavailableError, DISK_FULL, toDatabaseError } from './unavailable.ts'

/**
 * How many texts a connection prepares, and so how many plans its PostgreSQL process keeps: about
 * ten megabytes. All endpoints together, with every filter and sorting, have fewer than a thousand.
 */
const MAX_NAMED = 500
/** Longer texts run unnamed. */
const MAX_NAMED_LENGTH = 20_000

const PLAN_UNUSABLE: ReadonlySet<unknown> = new Set([
  // "cached plan must not change result type": a migration altered a table under a prepared plan.
  '0A000',
  // There is no such statement: in a pipeline, the run before this one failed to parse it.
  '26000',
])

/** Called with every statement that is sent; its answer rejects if it fails. */
export type StatementObserver = (
  text: string,
  values: readonly unknown[],
  answer: Promise<unknown>,
) => void

/** Whether PostgreSQL has said that its disk is full; readiness finds out when it no longer is. */
export interface DiskState {
  isFull: boolean
}

export interface StatementSettings {
  readonly observe?: StatementObserver | undefined
  readonly maxNamed?: number | undefined
  readonly disk?: DiskState | undefined
}

/**
 * Runs statements on one connection. Each text with parameters is prepared once, under a name: an
 * unnamed statement is parsed and planned again at every run, which a search wants.
 *
 * Callers can make up texts: a partial update has one for every choice of columns. A connection
 * that has named as many as it may is spent: its owner closes it after use and opens another. So
 * one operator can fill neither PostgreSQL's memory nor the names that all schools share.
 */
export class NamedStatements {
  readonly #client: pg.ClientBase
  readonly #observe: StatementObserver | undefined
  readonly #maxNamed: number
  readonly #disk: DiskState | undefined
  /** By text, what pg is given to run it under its name. */
  readonly #named = new Map<string, pg.QueryConfig>()
  #hasUnusablePlan = false

  constructor(client: pg.ClientBase, { observe, maxNamed = MAX_NAMED, disk }: StatementSettings) {
    this.#client = client
    this.#observe = observe
    this.#maxNamed = maxNamed
    this.#disk = disk
  }

  get isSpent(): boolean {
    return this.#hasUnusablePlan || this.#named.size >= this.#maxNamed
  }

  run<R>(text: string, values: readonly unknown[]): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    const answer = this.#run<R>(text, values)
    this.#observe?.(text, values, answer)
    return answer
  }

  async #run<R>(
    text: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    const named = values.length === 0 ? undefined : this.#namedOf(text)
    try {
      return await this.#send<R>(named ?? text, values)
    } catch (error) {
      if (named === undefined || !hasUnusablePlan(error)) throw this.#known(error)
      this.#hasUnusablePlan = true
      // A transaction cannot go on after an error; the next one gets another connection.
      if (this.#client.getTransactionStatus() !== 'I') {
        throw new DatabaseUnavailableError(error.message, error.code, error)
      }
      return await this.#send<R>(text, values).catch((again: unknown) => {
        throw this.#known(again)
      })
    }
  }

  #send<R>(query: string | pg.QueryConfig, values: readonly unknown[]) {
    return this.#client.query<R & pg.QueryResultRow>(query, values as unknown[])
  }

  #known(error: unknown): unknown {
    const known = toDatabaseError(error)
    const isFull = known instanceof DatabaseUnavailableError && known.code === DISK_FULL
    if (isFull && this.#disk !== undefined) this.#disk.isFull = true
    return known
  }

  #namedOf(text: string): pg.QueryConfig | undefined {
    if (this.#hasUnusablePlan) return undefined
    const known = this.#named.get(text)
    if (known !== undefined || this.#named.size >= this.#maxNamed) return known
    if (text.length > MAX_NAMED_LENGTH) return undefined
    if (text.trimEnd().endsWith(PLANNED_EACH_TIME)) return undefined
    // Made from the text: a pooler that mixes up sessions must not run one statement for another.
    const name = `s${sha256(text).toString('base64url').slice(0, 22)}`
    const named = inherits({ name, text })
    this.#named.set(text, named)
    return named
  }
}

/**
 * pg copies every own property at every run, which takes longer than to send the statement.
 * Inherited ones cost nothing.
 */
function inherits(config: pg.QueryConfig): pg.QueryConfig {
  return Object.create(config) as pg.QueryConfig
}

function hasUnusablePlan(error: unknown): error is pg.DatabaseError & { readonly code: string } {
  return error instanceof Error && 'code' in error && PLAN_UNUSABLE.has(error.code)
}
