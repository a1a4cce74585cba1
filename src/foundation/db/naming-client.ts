import pg from 'pg'
import { sha256 } from '../crypto/digest.ts'
import {
  type FindParser,
  NamedQuery,
  type NamedResult,
  type NamedStatement,
} from './named-query.ts'

/**
 * How many statements a connection keeps, and so the most plans that its PostgreSQL process does: ten
 * megabytes of small ones. All endpoints with every filter and sorting have less than twice as many.
 *
 * Callers make up texts, too: a partial update has one for every choice of columns, a list one for every
 * choice of filters. They take the places of each other and of what nobody asks for any more. Were names
 * given for good, a single operator could use them up for every school.
 */
const MAX_STATEMENTS = 500
/** Longer texts run unnamed. */
const MAX_NAMED_LENGTH = 20_000

const TO_PREPARE_ANEW: readonly unknown[] = [
  // "cached plan must not change result type": a migration altered a table under a prepared plan.
  '0A000',
  // There is no such statement: it was sent behind another run of it that could not be parsed.
  '26000',
]

export type StatementObserver = (text: string) => void

/**
 * A pg client that prepares every parameterised statement once per connection. Named statements cost
 * Kysely no more than hand-written pg; unnamed ones are parsed and planned again on every request.
 *
 * What every request runs (`prepared.ts`) goes over connections that carry nothing else, so that no
 * choice of columns ever competes with it.
 */
export function namingClient(
  observe: StatementObserver | undefined,
  maxStatements = MAX_STATEMENTS,
): typeof pg.Client {
  class NamingClient extends pg.Client {
    #inTransaction = false
    readonly #statements = new Map<string, NamedStatement>()
    /** Names that PostgreSQL is to forget when it learns the next one. */
    #forgotten: string[] = []
    /** Names carry it, so that none is ever used again: an answer about an old one may be under way. */
    #named = 0
    readonly #findParser: FindParser = (typeId, format) => this.getTypeParser(typeId, format)

    // biome-ignore lint/suspicious/noExplicitAny: pg declares seven overloads; all pass through unchanged
    override query(...args: any[]): any {
      const [text, values, callback] = args
      if (typeof text !== 'string') return super.query(...(args as [never]))
      observe?.(text)
      if (!Array.isArray(values) || values.length === 0 || callback !== undefined) {
        this.#noteTransaction(text)
        return super.query(...(args as [never]))
      }
      if (text.length > MAX_NAMED_LENGTH) return super.query({ text, values })
      const statement = this.#find(text)
      return this.#run(statement, values).catch((error: { code?: string }) => {
        // Otherwise it would lead to the socket alone, and not to who asked.
        if (error instanceof Error) Error.captureStackTrace(error)
        if (!TO_PREPARE_ANEW.includes(error.code)) throw error
        // A transaction is lost with its first error, but the next one on this connection is not.
        // Of several that were under way together, the first sees to it.
        if (this.#statements.get(text) === statement) this.#forgetAll()
        if (this.#inTransaction) throw error
        return this.#run(this.#find(text), values)
      })
    }

    #run(statement: NamedStatement, values: unknown[]): Promise<unknown> {
      return new Promise<NamedResult>((resolve, reject) => {
        super.query(new NamedQuery(statement, values, this.#findParser, resolve, reject))
      })
    }

    #find(text: string): NamedStatement {
      const known = this.#statements.get(text)
      if (known === undefined) return this.#name(text)
      known.isWanted = true
      return known
    }

    #name(text: string): NamedStatement {
      this.#makeRoom()
      // Of the text, too: a pooler that mixes up sessions must not run one statement for another.
      const digest = sha256(text).toString('base64url').slice(0, 22)
      const name = `s${digest}_${++this.#named}`
      const statement = { name, text, shape: undefined, isWanted: false, replaces: this.#forgotten }
      this.#forgotten = []
      this.#statements.set(text, statement)
      return statement
    }

    /**
     * The oldest goes, unless it was run again since it came or was last spared; then it is as new. To
     * find what was used least recently, every single run would have to be put in order.
     */
    #makeRoom(): void {
      for (const statement of this.#statements.values()) {
        if (this.#statements.size < maxStatements) return
        if (!statement.isWanted) this.#forget(statement)
        else {
          statement.isWanted = false
          this.#statements.delete(statement.text)
          this.#statements.set(statement.text, statement)
        }
      }
    }

    #forgetAll(): void {
      for (const statement of this.#statements.values()) this.#forget(statement)
    }

    #forget(statement: NamedStatement): void {
      this.#statements.delete(statement.text)
      this.#forgotten.push(statement.name, ...statement.replaces)
    }

    #noteTransaction(text: string): void {
      if (text === 'begin' || text.startsWith('start transaction')) this.#inTransaction = true
      else if (text === 'commit' || text === 'rollback') this.#inTransaction = false
    }
  }
  return NamingClient
}
