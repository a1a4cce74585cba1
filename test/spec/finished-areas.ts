import type { LedgerArea } from './spec.ts'

/**
 * Areas whose every promise has a test. Add an area when its last promise is proven; from then on
 * the ledger fails when a promise of it loses its test or comes without one.
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
