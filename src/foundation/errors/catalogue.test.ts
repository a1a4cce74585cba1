import { expect, test } from 'vitest'
import { ERROR_GROUPS, errorAddress } from './catalogue.ts'
import type { Explained } from './explained.ts'

test('a code that several surfaces send has one explanation', () => {
  const known = new Map<string, Explained>()
  for (const { errors } of ERROR_GROUPS) {
    for (const [code, explained] of Object.entries(errors)) {
      expect(known.get(code) ?? explained, code).toBe(explained)
      known.set(code, explained)
    }
  }
  expect(known.size).toBeGreaterThan(100)
})

test('every explanation has a cause and a remedy, each a whole sentence', () => {
  for (const { errors } of ERROR_GROUPS) {
    for (const [code, { cause, remedy }] of Object.entries(errors)) {
      expect(cause, code).toMatch(/^\S.{5,}\.$/)
      expect(remedy, code).toMatch(/^\S.{5,}\.$/)
    }
  }
})

test('names of fields are in backticks, in pairs and without spaces', () => {
  const texts = ERROR_GROUPS.flatMap(({ errors, where }) => [
    where,
    ...Object.values(errors).flatMap(({ cause, remedy }) => [cause, remedy]),
  ])
  for (const text of texts) {
    const parts = text.split('`')
    expect(parts.length % 2, text).toBe(1)
    for (const [place, part] of parts.entries()) {
      expect(part, text).not.toMatch(place % 2 === 1 ? /\s|^$/ : /[a-z]_[a-z]|\b[a-z]+[A-Z]/)
    }
  }
})

test('an address has only characters that RFC 6749 §5.2 allows in error_uri', () => {
  for (const { errors } of ERROR_GROUPS) {
    for (const code of Object.keys(errors)) {
      const address = errorAddress('https://xn--caf-dma.example:8443', code as 'taken')
      expect(address).toMatch(/^[\x21\x23-\x5B\x5D-\x7E]+$/)
    }
  }
})
