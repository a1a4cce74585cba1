import type { Refusal } from '../../../domain/operation/refusal.ts'
import type { ErrorCode } from '../../../foundation/errors/catalogue.ts'
import { ToolProblem } from '../tool.ts'

/** The refusal of an operation as a problem that a model can act on. */
export function refusedTool(refusal: Refusal): ToolProblem {
  return new ToolProblem(textOf(refusal), codeOf(refusal))
}

function textOf(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return `Nothing was done, because the input is wrong:\n${refusal.problems
        .map(({ pointer, detail }) => `${pointer === '' ? 'input' : pointer}: ${detail}`)
        .join('\n')}`
    case 'stale':
      return `Nothing was done: the object was changed in the meantime, it is at version ${refusal.version} now. Read it again and decide again.`
    case 'not_found':
    case 'conflict':
    case 'forbidden':
      return `Nothing was done. ${refusal.detail}`
  }
}

function codeOf(refusal: Refusal): ErrorCode {
  switch (refusal.kind) {
    case 'invalid':
      return 'invalid_input'
    case 'stale':
      return 'stale_version'
    case 'not_found':
      return 'not_found'
    case 'conflict':
    case 'forbidden':
      return refusal.code
  }
}
