import type { Refusal } from '../../../domain/operation/refusal.ts'

/** The refusal of an operation as a text that a model can act on. */
export function refusalText(refusal: Refusal): string {
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
