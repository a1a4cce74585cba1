import { refusalFrom } from '../domain/operation/operation.ts'
import type { InputProblem, Refusal } from '../domain/operation/refusal.ts'

/** The result of a command, for programs and for people. */
export interface Outcome {
  readonly data: unknown
  readonly text: string
  /** The command ran and found a problem: exit code 1. */
  readonly failed?: boolean
  /** The result itself is already on standard output, so this text goes to standard error. */
  readonly aside?: boolean
}

/** A command failed; `remedy` says what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly remedy: string
  /** 1: the command failed. 2: the command line is wrong. */
  readonly exitCode: 1 | 2

  constructor(message: string, remedy: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.remedy = remedy
    this.exitCode = exitCode
  }
}

export function nothingToChange(): CommandError {
  return new CommandError(
    'Nothing was named that should change.',
    'add an option; --help lists them',
    2,
  )
}

/**
 * By the code of a refusal, or `not_found`: the remedy, or the error in other words and the remedy.
 */
export type RefusalWords = Readonly<
  Record<string, string | readonly [error: string, remedy: string]>
>

/** A refusal of the domain as the command line tells it. */
export function refusalError(refusal: Refusal, words: RefusalWords = {}): CommandError {
  if (refusal.kind === 'invalid') return invalidValues(refusal.problems)
  const said = words['code' in refusal ? refusal.code : refusal.kind] ?? 'nothing was changed'
  const detail =
    refusal.kind === 'stale' ? 'It was changed at the same time by others.' : refusal.detail
  const [error, remedy] = typeof said === 'string' ? [detail, said] : said
  return new CommandError(error, remedy)
}

/** Runs what throws refusals without being an operation. */
export async function explainRefusal<R>(work: Promise<R>, words: RefusalWords): Promise<R> {
  try {
    return await work
  } catch (error) {
    throw refusalError(refusalFrom(error), words)
  }
}

/** Values that were given and cannot be used, each with its sentence. */
function invalidValues(problems: readonly InputProblem[]): CommandError {
  const lines = problems.map(({ pointer, detail }) => `${optionOf(pointer)}: ${detail}`)
  return new CommandError(lines.join('\n'), 'correct what is named and run the command again', 2)
}

/** `/redirect_uris/0` was typed as `--redirect-uri`. */
function optionOf(pointer: string): string {
  const [, field = ''] = pointer.split('/')
  const named = field === 'client_id' ? 'id' : field.replace(/_uris$/, '_uri')
  return `--${named.replaceAll('_', '-')}`
}

type Cell = string | number | boolean | Date | null | undefined

/** Rows under headings, in columns as wide as needed; the sentence `none` if there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  none: string,
): string {
  if (rows.length === 0) return none
  const cells = [headings, ...rows.map((row) => row.map(asText))]
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names beside their values, one to a line. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${asText(value)}`).join('\n')
}

/** Control characters in a stored name must not control the terminal. */
function asText(value: Cell): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value).replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
}
