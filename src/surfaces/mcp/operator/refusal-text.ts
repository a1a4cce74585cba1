import type { Refusal } from '../../../domain/operation/refusal.ts'

/** An operation's refusal in words that a model can act on. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return `Nothing was done, because the input is wrong:\n${refusal.problems
        .map(({ pointer, detail }) => `${pointer === '' ? 'input' : pointer}: ${detail}`)
        .join('\n')}`
    case 'stale':
      return `Nothing was done: somebody changed the object meanwhile, it is at version ${refusal.version} now. Read it again and decide anew.`
    case 'not_found':
    case 'conflict':
    case 'forbidden':
      return `Nothing was done. ${refusal.detail}`
  }
}
