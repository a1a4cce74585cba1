import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pipelines } from './pipelines.ts'
import type { DB } from './schema.generated.ts'

/** Outside a transaction, prepared statements run here. */
const pipelinesOf = new WeakMap<Kysely<DB>, Pipelines>()

export function connectPrepared(db: Kysely<DB>, pipelines: Pipelines): void {
  pipelinesOf.set(db, pipelines)
}

/** Stands for a value in a statement whose text is written before there are values. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A placeholder for each value of a statement; each may be used any number of times. */
export type Placeholders<V> = { readonly [K in keyof V]-?: RawBuilder<V[K]> }

interface Compiled<V> {
  readonly text: string
  readonly names: readonly (keyof V)[]
}

/** A statement whose text is written once, at its first use. */
export class Prepared<V extends object, R> {
  readonly #write: (placeholders: Placeholders<V>) => RawBuilder<R>
  readonly #optional: readonly (keyof V)[]
  /** By the optional values that are null, one bit for each. */
  readonly #compiled: Compiled<V>[] = []

  constructor(
    write: (placeholders: Placeholders<V>) => RawBuilder<R>,
    optional: readonly (keyof V)[],
  ) {
    this.#write = write
    this.#optional = optional
  }

  /** `tenant` as in {@link Pipelines.run}. */
  run(db: Kysely<DB>, values: V, tenant = ''): Promise<{ readonly rows: readonly R[] }> {
    const absent = this.#optional.reduce(
      (bits, name, n) => bits | (+(values[name] === null) << n),
      0,
    )
    this.#compiled[absent] ??= this.#compile(db, absent)
    const { text, names } = this.#compiled[absent]
    const parameters = names.map((name) => values[name])
    const pipelines = pipelinesOf.get(db)
    return pipelines === undefined
      ? db.executeQuery<R>(CompiledQuery.raw(text, parameters))
      : pipelines.run<R>(text, parameters, tenant)
  }

  #compile(db: Kysely<DB>, absent: number): Compiled<V> {
    const isAbsent = (name: string | symbol) =>
      this.#optional.some((known, n) => known === name && (absent >> n) & 1)
    const placeholders = new Proxy({} as Placeholders<V>, {
      get: (_target, name) =>
        isAbsent(name) ? sql.lit(null) : sql.val(new Placeholder(String(name))),
    })
    const { sql: text, parameters } = this.#write(placeholders).compile(db)
    const used = parameters.map((parameter) => {
      if (parameter instanceof Placeholder) return parameter.name
      throw new Error('A prepared statement takes its values only through its placeholders.')
    })
    // Kysely numbers every use of a placeholder; each value is sent only once.
    const names = [...new Set(used)]
    const numbered = text.replaceAll(/\$(\d+)/g, (_, number) => {
      return `$${names.indexOf(used[Number(number) - 1] ?? '') + 1}`
    })
    return { text: numbered, names: names as (keyof V)[] }
  }
}

/**
 * For statements that run at every request: writing SQL from fragments costs more than sending it.
 * `write` gets placeholders instead of values, so the text cannot depend on the values. There is
 * one exception: where an `optional` value is null, the text says so, and PostgreSQL leaves the
 * conditions about it out of the plan.
 */
export function prepared<V extends object, R>(
  write: (placeholders: Placeholders<V>) => RawBuilder<R>,
  { optional = [] }: { readonly optional?: readonly (keyof V)[] } = {},
): Prepared<V, R> {
  return new Prepared(write, optional)
}
