import { refusalFrom } from '../domain/operation/operation.ts'
import type { InputProblem, Refusal } from '../domain/operation/refusal.ts'
import { CommandError } from './outcome.ts'

/** By the code of a refusal, or `not_found`: the remedy, or the error in other words and the remedy. */
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
