import { expect, test } from 'vitest'
import { parseUrl } from './parse-url.ts'

test('a text that is no URL is undefined', () => {
  expect(parseUrl('no url')).toBeUndefined()
  expect(parseUrl('/path')).toBeUndefined()
  expect(parseUrl('/path', 'https://app.example')?.href).toBe('https://app.example/path')
})

test('a host in Unicode is read the same way after many calls, when the code is compiled', () => {
  const hosts = Array.from({ length: 50_000 }, () => parseUrl('https://bücher.example/')?.host)
  expect(new Set(hosts)).toEqual(new Set(['xn--bcher-kva.example']))
})
