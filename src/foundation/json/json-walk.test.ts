import { describe, expect, test } from 'vitest'
import { KNOWN_CALLER, STRANGER, walkJson } from './json-walk.ts'

const limits = { depth: 3, parts: 10 }
const excessOf = (text: string) => walkJson(text, limits).excess

describe('the walk over JSON', () => {
  test.each([
    ['nothing', ''],
    ['a value', '1'],
    ['as deep as allowed', '[[[1]]]'],
    ['side by side', '[[],[],[]]'],
    ['brackets in a string', '"[[[[[[[[["'],
    ['commas in a string', `"${','.repeat(100)}"`],
    ['an escaped quotation mark', '"\\",,,,,,,,,,,,,,,,,,,,,"'],
    ['an escaped backslash', '["\\\\",1]'],
    ['a string without an end', `"${'['.repeat(100)}`],
    ['a backslash at the end', '"\\'],
  ])('accepts %s', (_, text) => {
    expect(excessOf(text)).toBeUndefined()
  })

  test.each([
    ['nested lists', '[[[[', 'deeper than 3'],
    ['nested objects', '{"a":{"b":{"c":{', 'deeper than 3'],
    ['a wide list', `[${'1,'.repeat(11)}1]`, 'more than 10'],
    ['a wide object', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'more than 10'],
    ['after an escaped backslash', `["\\\\",${'1,'.repeat(11)}1]`, 'more than 10'],
  ])('refuses %s', (_, text, words) => {
    expect(excessOf(text)).toContain(words)
  })

  test.each([
    ['"a\\u0000b"', true],
    ['{"\\u0000":1}', true],
    ['"a\\\\u0000b"', false],
    ['"\\u00000"', true],
    ['"\\u0001"', false],
    ['\\u0000', false],
  ])('%s holds U+0000: %s', (text, holdsNul) => {
    expect(walkJson(text, limits).holdsNul).toBe(holdsNul)
  })

  test('agrees with the parser about depth', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(walkJson(nested(STRANGER.depth), STRANGER).excess).toBeUndefined()
    expect(walkJson(nested(KNOWN_CALLER.depth + 1), KNOWN_CALLER).excess).toContain('deeper')
    expect(walkJson('['.repeat(400_000), KNOWN_CALLER).excess).toContain('deeper')
  })
})
