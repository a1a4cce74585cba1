import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pipelines } from './pipelines.ts'
import type { DB } from './schema.generated.ts'

/** Where statements go that are not part of a transaction. */
const pipelinesOf = new WeakMap<Kysely<DB>, Pipelines>()

export function connectPrepared(db: Kysely<DB>, pipelines: Pipelines): void {
  pipelinesOf.set(db, pipelines)
}

/** Stands for a value in a statement that is put together before there are any. */
class Gap {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Names for the values of a statement; each may be used any number of times. */
export type Gaps<V> = { readonly [K in keyof V]-?: RawBuilder<V[K]> }

/** A statement whose text is put together once, at its first use, and never again. */
export class Prepared<V extends object, R> {
  readonly #write: (gaps: Gaps<V>) => RawBuilder<R>
  #compiled: { readonly text: string; readonly names: readonly (keyof V)[] } | undefined

  constructor(write: (gaps: Gaps<V>) => RawBuilder<R>) {
    this.#write = write
  }

  run(db: Kysely<DB>, values: V): Promise<{ readonly rows: readonly R[] }> {
    this.#compiled ??= this.#compile(db)
    const { text, names } = this.#compiled
    const parameters = names.map((name) => values[name])
    const pipelines = pipelinesOf.get(db)
    return pipelines === undefined
      ? db.executeQuery<R>(CompiledQuery.raw(text, parameters))
      : pipelines.run<R>(text, parameters)
  }

  #compile(db: Kysely<DB>): { readonly text: string; readonly names: readonly (keyof V)[] } {
    const gaps = new Proxy({} as Gaps<V>, {
      get: (_target, name) => sql.val(new Gap(String(name))),
    })
    const { sql: text, parameters } = this.#write(gaps).compile(db)
    const names = parameters.map((parameter) => {
      if (parameter instanceof Gap) return parameter.name as keyof V
      throw new Error('A prepared statement takes its values through its gaps alone.')
    })
    return { text, names }
  }
}

/**
 * For statements that run at every request: writing SQL out of fragments costs more than sending it.
 * `write` gets a gap for every value instead of the value, and must not decide anything by them.
 */
export function prepared<V extends object, R>(
  write: (gaps: Gaps<V>) => RawBuilder<R>,
): Prepared<V, R> {
  return new Prepared(write)
}
