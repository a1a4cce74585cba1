import { describe, expect, test } from 'vitest'
import { alter } from '../../../test/support/alter.ts'
import { checkFormToken, type FormOwner, issueFormToken } from './cookies.ts'
import { ForgedPostError } from './cross-origin.ts'

const key = Buffer.alloc(32, 1)
const ada: FormOwner = { kind: 'session', id: 'ada' }

describe('form tokens', () => {
  test('are accepted from the browser that received them', () => {
    expect(() => checkFormToken([key], [ada], issueFormToken(key, ada))).not.toThrow()
  })

  test('differ in every form and need no escaping in a form field', () => {
    const tokens = Array.from({ length: 50 }, () => issueFormToken(key, ada))
    expect(new Set(tokens).size).toBe(50)
    for (const token of tokens) expect(token).toMatch(/^[\w-]{65}$/)
  })

  test.each<[string, FormOwner, Buffer]>([
    ['another session', { kind: 'session', id: 'ben' }, key],
    ['an anonymous cookie of the same value', { kind: 'anonymous', id: 'ada' }, key],
    ['another key', ada, Buffer.alloc(32, 2)],
  ])('issued to %s are refused', (_name, owner, otherKey) => {
    const token = issueFormToken(otherKey, owner)
    expect(() => checkFormToken([key], [ada], token)).toThrow(ForgedPostError)
  })

  test('are accepted while an old key is replaced, and not after it', () => {
    const newer = Buffer.alloc(32, 2)
    const token = issueFormToken(key, ada)
    expect(() => checkFormToken([newer, key], [ada], token)).not.toThrow()
    expect(() => checkFormToken([newer], [ada], token)).toThrow(ForgedPostError)
  })

  test('are refused if missing, shortened, extended or changed', () => {
    const token = issueFormToken(key, ada)
    for (const bad of [undefined, '', 'x', token.slice(0, -1), `${token}A`, alter(token)]) {
      expect(() => checkFormToken([key], [ada], bad)).toThrow(ForgedPostError)
    }
  })
})
