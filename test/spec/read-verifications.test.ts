import { describe, expect, test } from 'vitest'
import { verificationsIn } from './read-verifications.ts'

describe('reading verifies() calls from source', () => {
  test('finds ids, title and line of each call, however it is wrapped', () => {
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

  test('is not fooled by comments and strings', () => {
    expect(
      verificationsIn('x.test.ts', `// verifies('a', 'b')\nconst x = "verifies('a')"`),
    ).toEqual([])
  })

  test('refuses ids that only running the code would tell', () => {
    expect(() => verificationsIn('x.test.ts', "\nverifies(id, 'one', () => {})")).toThrow(
      /^x\.test\.ts:2: verifies\(\) wants its ids/,
    )
  })

  test('says which file does not parse', () => {
    expect(() => verificationsIn('x.test.ts', 'const = 1')).toThrow(/^x\.test\.ts does not parse/)
  })
})
