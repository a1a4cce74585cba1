import { describe, expect, test } from 'vitest'
import { freshnessSeconds } from './fetch-document.ts'

describe('freshnessSeconds', () => {
  test.each([
    ['max-age=600', 600],
    ['public, Max-Age="600"', 600],
    ['max-age=600, s-maxage=60', 60],
    ['max-age=600, max-age=5', 600],
    ['max-age=600, no-store', 0],
    ['no-cache', 0],
    ['private, max-age=600', 0],
    ['max-age=-1', undefined],
    ['max-age=1e9', undefined],
    ['max-age', undefined],
    ['immutable', undefined],
    ['', undefined],
    [',,=,', undefined],
  ])('Cache-Control: %s', (header, seconds) => {
    expect(freshnessSeconds({ 'cache-control': header })).toBe(seconds)
  })

  test('nothing said is undefined, so that the caller may choose', () => {
    expect(freshnessSeconds({})).toBeUndefined()
  })

  test('time already spent in other caches is used up (RFC 9111 §4.2.3)', () => {
    expect(freshnessSeconds({ 'cache-control': 'max-age=600', age: '200' })).toBe(400)
    expect(freshnessSeconds({ 'cache-control': 'max-age=600', age: '900' })).toBe(0)
    expect(freshnessSeconds({ 'cache-control': 'max-age=600', age: 'x' })).toBe(600)
  })

  test('Expires counts from Date, and only without max-age (RFC 9111 §5.3)', () => {
    const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
    const expires = 'Thu, 01 Jan 2026 01:00:00 GMT'
    expect(freshnessSeconds({ date, expires })).toBe(3600)
    expect(freshnessSeconds({ expires }, Date.parse(date))).toBe(3600)
    expect(freshnessSeconds({ date, expires, 'cache-control': 'max-age=7' })).toBe(7)
    expect(freshnessSeconds({ date: expires, expires: date })).toBe(0)
    expect(freshnessSeconds({ date, expires: 'soon' })).toBe(0)
    expect(freshnessSeconds({ date, expires: '0' })).toBe(0)
  })
})
