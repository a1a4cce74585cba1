import { describe, expect, test } from 'vitest'
import { coverage, duplicateIds, unknownIds, unproven } from './judge-ledger.ts'
import type { Statement } from './spec.ts'

const rule = (id: string, says = `${id} holds.`, needsTest = true): Statement => ({
  id,
  area: 'oauth',
  says,
  needsTest,
})
const proof = (...ids: string[]) => ({ file: 'test/x.test.ts', line: 3, ids, title: 'x' })

describe('checking the ledger', () => {
  test('a duplicate id is found', () => {
    expect(duplicateIds([rule('a'), rule('b'), rule('a')])).toEqual(['a'])
  })

  test('an undefined id is reported with file and line', () => {
    expect(unknownIds([rule('a')], [proof('a', 'b')])).toEqual(['test/x.test.ts:3 b'])
  })

  test('a promise without a test is found only in finished areas', () => {
    expect(unproven([rule('a'), rule('b')], [proof('a')], ['oauth'])).toEqual(['b: b holds.'])
    expect(unproven([rule('a'), rule('b')], [proof('a')], ['mcp'])).toEqual([])
  })

  test('a stated deviation counts like a test', () => {
    const stated = rule('a', 'Something else is done.', false)
    expect(unproven([stated], [], ['oauth'])).toEqual([])
    expect(coverage([stated, rule('b')], [])).toEqual([
      { area: 'oauth', settled: 1, slow: [], total: 2 },
    ])
  })

  test('a promise that only a slow test proves is known by its command', () => {
    const slow = { ...proof('a', 'b'), file: 'test/x.slow.test.ts' }
    expect(coverage([rule('a'), rule('b')], [slow, proof('b')])).toEqual([
      { area: 'oauth', settled: 2, slow: ['a'], total: 2 },
    ])
  })
})
