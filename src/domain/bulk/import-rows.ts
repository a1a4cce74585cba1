import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { UnreadableFileError } from '../../foundation/tabular/read-records.ts'
import type { Actor } from '../actor/actor.ts'
import { changeEntry, record } from '../audit/audit.ts'
import type { InputProblem, Refusal } from '../operation/refusal.ts'
import { toldRefusal } from '../operation/write-answer.ts'
import { type BulkKind, type ImportRow, KnownNames, type RowOutcome } from './kind.ts'
import { ParallelBatches, TouchedObjects } from './parallel-batches.ts'
import { type Attempt, attemptsAt, dryRun } from './plan-rows.ts'
import { type ColumnNames, type Format, readRows, type Within } from './row-reader.ts'

export const DEFAULT_MAX_ERRORS = 100

const BATCH_ROWS = 1000
/** Rows may be large, so a batch also ends at this many characters. */
const BATCH_LENGTH = 4 * 1024 * 1024

/**
 * Creates and updates a school's objects from a file. A refused row is reported with its line and
 * does not stop the others. Rows are written in batches, one transaction each, while the next batch
 * is read. Importing the same file again changes nothing, so an interrupted import is continued by
 * repeating it.
 */
export async function importRows(
  db: SchoolDb,
  caller: Actor,
  kind: BulkKind,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportSummary> {
  if (options.dryRun === true) {
    return await dryRun(db, async (attempt, tx) => {
      const count = options.countsInvited === true ? kind.countInvited : undefined
      const waiting = await count?.(tx)
      const summary = await new Import(kind, caller, eachAlone(attempt), options).run(source)
      if (waiting === undefined) return summary
      return { ...summary, invited: ((await count?.(tx)) ?? waiting) - waiting }
    })
  }
  const importing = new Import(kind, caller, eachAlone(attemptsAt(db)), options)
  await audit(db, caller, kind, importing.id, { format: options.format })
  const summary = await importing.run(source)
  const { created, updated, unchanged, failed, complete } = summary
  await audit(db, caller, kind, importing.id, { created, updated, unchanged, failed, complete })
  return summary
}

/** An import in steps, from a saved state on. The caller writes the audit entries. */
export async function importInSteps(
  caller: Actor,
  kind: BulkKind,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions,
  step: ImportStep,
  state: ImportState | undefined,
): Promise<ImportSummary> {
  return await new Import(kind, caller, step, options, state).run(source)
}

const eachAlone =
  (attempt: Attempt): ImportStep =>
  async (work) => {
    await work(attempt)
  }

/**
 * One entry at the start, so that an interrupted import leaves a trace, and one with the result.
 */
async function audit(
  db: SchoolDb,
  caller: Actor,
  kind: BulkKind,
  id: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  const operation = `${kind.name.replaceAll('-', '_')}.import`
  await record(db, {
    ...changeEntry(caller, { action: 'operation.done', detail: { operation, ...detail } }),
    subject: id,
    clientId: caller.clientId,
    authorizationId: caller.authorizationId,
  })
}

const NO_ROWS: ImportCounts = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }

class Import {
  readonly id = uuidv7()
  readonly #kind: BulkKind
  readonly #caller: Actor
  readonly #step: ImportStep
  readonly #options: ImportOptions
  readonly #known = new KnownNames()
  readonly #errors: FailedRow[]
  readonly #counts: { -readonly [N in keyof ImportCounts]: number }
  readonly #from: number
  #nextLine: number

  constructor(
    kind: BulkKind,
    caller: Actor,
    step: ImportStep,
    options: ImportOptions,
    state?: ImportState,
  ) {
    this.#kind = kind
    this.#caller = caller
    this.#step = step
    this.#options = options
    this.#from = state?.nextLine ?? options.fromLine ?? 1
    this.#nextLine = this.#from
    this.#errors = [...(state?.errors ?? [])]
    this.#counts = { ...NO_ROWS, ...state?.counts }
  }

  async run(source: AsyncIterable<Uint8Array>): Promise<ImportSummary> {
    let complete = true
    const running = new ParallelBatches(
      this.#options.dryRun === true ? 1 : (this.#options.connections ?? 1),
    )
    try {
      for await (const batch of this.#batches(source)) {
        // Reading goes on while batches are written; a batch waits for those with the same objects.
        await running.waitFor(batch.touched)
        if (this.#full()) break
        running.start(batch.touched, this.#take(batch), () => {
          this.#nextLine = batch.lastLine + 1
        })
      }
      await running.finish()
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) {
        await running.finish().catch(() => undefined)
        throw error
      }
      await running.finish()
      const { line, code, message } = error
      if (!this.#full()) {
        this.#countFailed()
        // Kept above the bound: it says why the import ended.
        this.#errors.push({ line, errors: [{ pointer: '', code, detail: message }] })
        this.#nextLine = line
      }
      complete = false
    }
    return {
      id: this.id,
      ...this.#counts,
      complete: complete && !this.#full(),
      nextLine: this.#nextLine,
      errors: this.#errors.sort((a, b) => a.line - b.line),
    }
  }

  async *#batches(source: AsyncIterable<Uint8Array>): AsyncGenerator<Batch, void, void> {
    const objectName = this.#kind.objectName
    const { format, columns, within, maxRows = Number.POSITIVE_INFINITY } = this.#options
    let batch = new Batch(objectName)
    let taken = 0
    try {
      reading: for await (const rows of readRows(this.#kind, format, source, columns, within)) {
        for (const row of rows) {
          if (row.line < this.#from) continue
          if (taken >= maxRows) break reading
          taken += 1
          batch.add(row)
          if (!batch.full()) continue
          yield batch
          batch = new Batch(objectName)
        }
      }
    } catch (error) {
      // Rows before the unreadable place are imported.
      if (error instanceof UnreadableFileError && batch.size > 0) yield batch
      throw error
    }
    if (batch.size > 0) yield batch
  }

  async #take(batch: Batch): Promise<void> {
    await this.#step(async (attempt) => {
      for (const { line, problems } of batch.refused) this.#fail(line, problems)
      await this.#write(attempt, batch.rows)
      const nextLine = batch.lastLine + 1
      return { counts: this.#counts, errors: this.#errors, nextLine }
    })
    this.#options.onProgress?.(this.#counts)
  }

  /** Writes all rows, or after a failure each half, down to the row that fails. */
  async #write(attempt: Attempt, rows: readonly ImportRow[]): Promise<void> {
    if (rows.length === 0) return
    const done = await attempt((tx) => this.#kind.write(tx, this.#caller, rows, this.#known))
    if (done.kind === 'done') {
      for (const [place, outcome] of done.value.entries()) this.#count(rows[place], outcome)
    } else if (rows.length === 1) {
      this.#count(rows[0], done.refusal)
    } else {
      const middle = Math.ceil(rows.length / 2)
      await this.#write(attempt, rows.slice(0, middle))
      await this.#write(attempt, rows.slice(middle))
    }
  }

  #count(row: ImportRow | undefined, outcome: RowOutcome): void {
    if (row === undefined) return
    if (typeof outcome !== 'string') {
      const scopes = this.#kind.scopes.write === undefined ? [] : [this.#kind.scopes.write]
      this.#fail(row.line, problemsOf(toldRefusal({ scopes }, this.#caller, outcome)))
      return
    }
    this.#counts.rows += 1
    this.#counts[outcome] += 1
  }

  #fail(line: number, errors: readonly InputProblem[]): void {
    this.#countFailed()
    const { keptErrors = Number.POSITIVE_INFINITY } = this.#options
    if (this.#errors.length < keptErrors) this.#errors.push({ line, errors })
  }

  #countFailed(): void {
    this.#counts.rows += 1
    this.#counts.failed += 1
  }

  #full(): boolean {
    return this.#errors.length >= (this.#options.maxErrors ?? DEFAULT_MAX_ERRORS)
  }
}

class Batch {
  readonly rows: ImportRow[] = []
  readonly refused: { line: number; problems: readonly InputProblem[] }[] = []
  readonly touched: TouchedObjects
  lastLine = 0
  #length = 0

  constructor(objectName: BulkKind['objectName']) {
    this.touched = new TouchedObjects(objectName)
  }

  add(row: ImportRow | { line: number; problems: readonly InputProblem[] }): void {
    this.lastLine = row.line
    if ('problems' in row) {
      this.refused.push(row)
      return
    }
    this.rows.push(row)
    this.touched.add(row)
    for (const name in row.values) {
      const value = row.values[name]
      if (typeof value === 'string') this.#length += value.length
    }
  }

  get size(): number {
    return this.rows.length + this.refused.length
  }

  full(): boolean {
    return this.size >= BATCH_ROWS || this.#length >= BATCH_LENGTH
  }
}

function problemsOf(refusal: Refusal): readonly InputProblem[] {
  switch (refusal.kind) {
    case 'invalid':
      return refusal.problems
    case 'conflict':
      return [{ pointer: refusal.pointer ?? '', code: refusal.code, detail: refusal.detail }]
    case 'forbidden':
      return [{ pointer: '', code: refusal.code, detail: refusal.detail }]
    case 'not_found':
      return [{ pointer: '/id', code: 'not_found', detail: refusal.detail }]
    case 'stale':
      return [
        {
          pointer: '',
          code: 'stale_version',
          detail: 'The object was changed meanwhile. Try again.',
        },
      ]
  }
}

export interface ImportOptions {
  readonly format: Format
  /** Write everything, then roll it back. */
  readonly dryRun?: boolean | undefined
  /** Count whom the import would invite, in a dry run. */
  readonly countsInvited?: boolean | undefined
  readonly columns?: ColumnNames | undefined
  readonly within?: Within | undefined
  /** Read no more rows than this. */
  readonly maxRows?: number | undefined
  /** Skip rows on earlier lines. */
  readonly fromLine?: number | undefined
  /** Start no further batch after this many refused rows; running batches are finished. */
  readonly maxErrors?: number | undefined
  /**
   * Keep the problems of this many refused rows; the others are counted. All are kept if it is
   * absent.
   */
  readonly keptErrors?: number | undefined
  /** How many independent batches may be written at the same time. */
  readonly connections?: number | undefined
  onProgress?(progress: ImportCounts): void
}

interface ImportCounts {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
}

interface FailedRow {
  readonly line: number
  readonly errors: readonly InputProblem[]
}

export interface ImportSummary extends ImportCounts {
  readonly id: string
  /** Whether the file was read to its end. */
  readonly complete: boolean
  /** The line to continue at if it was not. */
  readonly nextLine: number
  /** Fewer than `failed` if not all are kept. */
  readonly errors: readonly FailedRow[]
  /**
   * How many people the import would invite, if that was counted and rows of the kind invite
   * people.
   */
  readonly invited?: number
}

/** How far an import is: enough to continue it in another process. */
export interface ImportState {
  readonly counts: ImportCounts
  readonly errors: readonly FailedRow[]
  /** Rows before this line are done. */
  readonly nextLine: number
}

/**
 * Runs the work of one batch, which takes the way to attempt its rows and returns how far the
 * import is then. The state is to be stored in the same transaction as the rows.
 */
type ImportStep = (work: (attempt: Attempt) => Promise<ImportState>) => Promise<void>
