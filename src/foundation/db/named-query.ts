import pg from 'pg'
import utils from 'pg/lib/utils'

type Parse = (text: string) => unknown
export type FindParser = (typeId: number, format: 'text') => Parse

/** A statement as one connection knows it. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
  /**
   * What its rows look like, once it has run. It holds for as long as the statement does: if it had to
   * change, PostgreSQL would refuse to run the statement.
   */
  shape: RowShape | undefined
  /** Whether it was run again since somebody looked. */
  isWanted: boolean
  /** Names that are closed before its own is sent; none once they are. */
  replaces: readonly string[]
}

interface RowShape {
  readonly names: readonly string[]
  readonly parsers: readonly Parse[]
  /** Every column in order: rows that are copies of it all have the same hidden class. */
  readonly empty: Readonly<Record<string, unknown>>
}

export interface NamedResult {
  command: string
  rowCount: number | null
  readonly rows: Record<string, unknown>[]
}

/** The part of pg's connection that other queries than its own use, its cursor for one. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Record<string, string>
  /** Those that PostgreSQL was sent and has not answered yet. */
  readonly submittedNamedStatements: Record<string, string>
  close(target: { type: 'S'; name: string }): void
  parse(statement: NamedStatement): void
  bind(run: { statement: string; values: readonly unknown[] }): void
  describe(target: { type: 'P'; name: '' }): void
  execute(): void
  sync(): void
}

interface Column {
  readonly name: string
  readonly dataTypeID: number
}

/** pg pipelines its own queries alone, since others may keep a portal open. This one does not. */
const OwnQuery = pg.Query as unknown as new (
  text: string,
) => { readonly text: string; name: string }

const NO_ROWS: RowShape = { names: [], parsers: [], empty: {} }

/**
 * One run of a prepared statement. pg's own query has every run described to it again, and takes about
 * as long to put itself together as a small statement takes to run.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class NamedQuery extends OwnQuery implements pg.Submittable {
  readonly #statement: NamedStatement
  readonly #values: readonly unknown[]
  readonly #findParser: FindParser
  readonly #resolve: (result: NamedResult) => void
  readonly #reject: (error: unknown) => void
  readonly #result: NamedResult = { command: '', rowCount: null, rows: [] }
  #fault: unknown

  constructor(
    statement: NamedStatement,
    values: readonly unknown[],
    findParser: FindParser,
    resolve: (result: NamedResult) => void,
    reject: (error: unknown) => void,
  ) {
    super(statement.text)
    this.name = statement.name
    this.#statement = statement
    this.#values = values
    this.#findParser = findParser
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Returns what kept it from being sent. */
  submit(connection: pg.Connection): unknown {
    const wire = connection as unknown as Wire
    const { name, shape } = this.#statement
    const isSent =
      wire.parsedStatements[name] !== undefined || wire.submittedNamedStatements[name] !== undefined
    let values: readonly unknown[]
    try {
      values = this.#values.map(utils.prepareValue)
    } catch (fault) {
      return fault
    }
    wire.stream.cork()
    try {
      if (!isSent) {
        this.#closeReplaced(wire)
        wire.parse(this.#statement)
        wire.submittedNamedStatements[name] = this.text
      }
      wire.bind({ statement: name, values })
      if (shape === undefined) wire.describe({ type: 'P', name: '' })
      wire.execute()
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
    return undefined
  }

  /** Here and not when they were given up: runs of them may have been waiting to be sent. */
  #closeReplaced(wire: Wire): void {
    for (const name of this.#statement.replaces) {
      wire.close({ type: 'S', name })
      delete wire.parsedStatements[name]
    }
    this.#statement.replaces = []
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#statement.shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this.#findParser(dataTypeID, 'text')),
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#fault !== undefined) return
    try {
      this.#result.rows.push(readRow(this.#statement.shape ?? NO_ROWS, fields))
    } catch (fault) {
      this.#fault = fault
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    // `UPDATE 3`, or `INSERT 0 3`, whose zero once was an object's id.
    const end = text.indexOf(' ')
    if (end === -1) return
    this.#result.command = text.slice(0, end)
    this.#result.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1))
  }

  handleReadyForQuery(): void {
    this.#statement.shape ??= NO_ROWS
    if (this.#fault === undefined) this.#resolve(this.#result)
    else this.#reject(this.#fault)
  }

  handleError(error: unknown): void {
    this.#reject(error)
  }

  handleEmptyQuery(): void {}
}

function readRow(shape: RowShape, fields: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = { ...shape.empty }
  const { names, parsers } = shape
  for (let i = 0; i < fields.length; i++) {
    const text = fields[i]
    const parse = parsers[i]
    const name = names[i]
    if (text != null && parse !== undefined && name !== undefined) row[name] = parse(text)
  }
  return row
}
