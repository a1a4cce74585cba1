import { type TestFunction, test } from 'vitest'
import type { SpecId } from './spec.ts'

/**
 * A test that proves one or several promises of the ledger. Write the ids and the title as literals
 * (the title may be a template): the ledger reads them from the source without running it.
 */
export function verifies(
  ids: SpecId | readonly [SpecId, ...SpecId[]],
  title: string,
  fn: TestFunction,
  timeout?: number,
): void {
  const named = typeof ids === 'string' ? ids : ids.join(', ')
  test(`${title} [${named}]`, fn, timeout)
}
