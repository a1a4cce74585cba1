import { describe, expect, test } from 'vitest'
import { rawPath, rawQuery } from './request-body.ts'

describe('rawQuery and rawPath', () => {
  test.each([
    ['/a', '/a', ''],
    ['/a?', '/a', ''],
    ['/a?x=1&x=2', '/a', 'x=1&x=2'],
    ['/a?x=%zz?y', '/a', 'x=%zz?y'],
    ['/a?x=1#f', '/a', 'x=1'],
    ['/a#f?x=1', '/a', ''],
  ])('%s', (url, path, query) => {
    expect(rawPath(url)).toBe(path)
    expect(rawQuery(url)).toBe(query)
  })
})
