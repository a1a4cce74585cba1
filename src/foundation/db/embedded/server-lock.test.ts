import { describe, expect, test } from 'vitest'
import { asDirectoryList, isShortEnough } from './server-lock.ts'

describe('isShortEnough', () => {
  // "/.s.PGSQL.5432" takes 14 of the 107 bytes.
  test('counts the file name, and bytes rather than letters', () => {
    expect(isShortEnough(`/${'a'.repeat(92)}`, 'linux')).toBe(true)
    expect(isShortEnough(`/${'a'.repeat(93)}`, 'linux')).toBe(false)
    expect(isShortEnough(`/${'ä'.repeat(47)}`, 'linux')).toBe(false)
  })

  test('macOS has four bytes less', () => {
    expect(isShortEnough(`/${'a'.repeat(88)}`, 'darwin')).toBe(true)
    expect(isShortEnough(`/${'a'.repeat(89)}`, 'darwin')).toBe(false)
  })
})

test('a comma or a quote in a path stays part of the path', () => {
  expect(asDirectoryList('/srv/a, "b"')).toBe('"/srv/a, ""b"""')
})
