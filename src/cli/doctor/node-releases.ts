/**
 * The day on which each major version of Node gets its last security fix, from
 * https://github.com/nodejs/Release/blob/main/schedule.json
 */
export const NODE_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
}

/** The versions that the tests run on; the last one is the recommended one. */
export const TESTED_NODES = [20, 22, 24] as const
export const RECOMMENDED_NODE = 24
