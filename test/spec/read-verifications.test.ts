import { describe, expect, test } from 'vitest'
import { verificationsIn } from './read-verifications.ts'

describe('reading verifies() calls from source', () => {
  test('finds ids, title and line of each call, on one or several lines', () => {
    const source = [
      "describe('x', () => {",
      "  verifies('a', 'one', () => {})",
      '  verifies(',
      "    ['b', 'c'],",
      '    `two $' + '{name}`,',
      '    async () => {},',
      '    5_000,',
      '  )',
      '})',
    ].join('\n')
    expect(verificationsIn('x.test.ts', source)).toEqual([
      { file: 'x.test.ts', line: 2, ids: ['a'], title: 'one' },
      { file: 'x.test.ts', line: 3, ids: ['b', 'c'], title: 'two …' },
    ])
  })

  test('ignores comments and strings', () => {
    expect(
      verificationsIn('x.test.ts', `// verifies('a', 'b')\nconst x = "verifies('a')"`),
    ).toEqual([])
  })

  test('refuses ids that are not literals', () => {
    expect(() => verificationsIn('x.test.ts', "\nverifies(id, 'one', () => {})")).toThrow(
      /^x\.test\.ts:2: the ids and the title of verifies/,
    )
  })

  test('names a file that does not parse', () => {
    expect(() => verificationsIn('x.test.ts', 'const = 1')).toThrow(/^x\.test\.ts does not parse/)
  })
})
