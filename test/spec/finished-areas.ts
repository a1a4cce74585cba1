import type { LedgerArea } from './spec.ts'

/**
 * Areas in which every promise has a test. Add an area when its last promise has one; from then on
 * the ledger fails if a promise of the area has no test.
 */
export const finishedAreas: readonly LedgerArea[] = [
  'house',
  'admin-api',
  'pages',
  'oauth',
  'conformance',
  'rfc9700',
  'trouble',
  'member-api',
  'mcp',
]
