import pg from 'pg'
import { sha256 } from '../crypto/digest.ts'
import {
  type FindParser,
  NamedQuery,
  type NamedResult,
  type NamedStatement,
} from './named-query.ts'

/** Texts beyond this many, or longer than this, run unnamed: PostgreSQL keeps every named plan. */
const MAX_NAMED_TEXTS = 2000
const MAX_NAMED_LENGTH = 20_000

const TO_PREPARE_ANEW: readonly unknown[] = [
  // "cached plan must not change result type": a migration altered a table under a prepared plan.
  '0A000',
  // There is no such statement: it was sent behind another run of it that could not be parsed.
  '26000',
]

const names = new Map<string, string>()

/** The statement name of a query text, or undefined where preparing it would not pay. */
function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= MAX_NAMED_TEXTS || text.length > MAX_NAMED_LENGTH) return undefined
  const name = `s${sha256(text).toString('base64url').slice(0, 22)}`
  names.set(text, name)
  return name
}

export type StatementObserver = (text: string) => void

/**
 * A pg client that prepares every parameterised statement once per connection. Named statements cost
 * Kysely no more than hand-written pg; unnamed ones are parsed and planned again on every request.
 */
export function namingClient(observe: StatementObserver | undefined): typeof pg.Client {
  class NamingClient extends pg.Client {
    #inTransaction = false
    #statements = new Map<string, NamedStatement>()
    /** Names carry it, so that raising it has every statement prepared anew. */
    #generation = 0
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
      const generation = this.#generation
      return this.#run(text, values).catch((error: { code?: string }) => {
        // Otherwise it would lead to the socket alone, and not to who asked.
        if (error instanceof Error) Error.captureStackTrace(error)
        if (!TO_PREPARE_ANEW.includes(error.code)) throw error
        // A transaction is lost with its first error, but the next one on this connection is not.
        // Of several that were under way together, the first sees to it.
        if (generation === this.#generation) {
          this.#generation++
          this.#statements.clear()
        }
        if (this.#inTransaction) throw error
        return this.#run(text, values)
      })
    }

    #run(text: string, values: unknown[]): Promise<unknown> {
      const statement = this.#statements.get(text) ?? this.#name(text)
      if (statement === undefined) return super.query({ text, values })
      return new Promise<NamedResult>((resolve, reject) => {
        super.query(new NamedQuery(statement, values, this.#findParser, resolve, reject))
      })
    }

    #name(text: string): NamedStatement | undefined {
      const name = statementName(text)
      if (name === undefined) return undefined
      const statement = {
        name: this.#generation === 0 ? name : `${name}_${this.#generation}`,
        text,
      }
      this.#statements.set(text, statement)
      return statement
    }

    #noteTransaction(text: string): void {
      if (text === 'begin' || text.startsWith('start transaction')) this.#inTransaction = true
      else if (text === 'commit' || text === 'rollback') this.#inTransaction = false
    }
  }
  return NamingClient
}
