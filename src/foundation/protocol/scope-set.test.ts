import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OAuthError } from './errors.ts'
import { requestedScopes, ScopeSet } from './scope-set.ts'

const parse = (text: string) => ScopeSet.parse(text)

/** Control characters, ASCII and beyond; some that take two code units. */
const letters = fc
  .oneof(fc.nat(0x17f), fc.integer({ min: 0x1f600, max: 0x1f64f }))
  .map((point) => String.fromCodePoint(point))

describe('reading a scope parameter', () => {
  test('order and repetition do not matter', () => {
    const scopes = parse('profile openid account:read openid')
    expect(scopes.toString()).toBe('account:read openid profile')
    expect(scopes.size).toBe(3)
    expect(scopes.equals(parse('openid account:read profile'))).toBe(true)
  })

  test('extra spaces are folded', () => {
    expect(parse('  openid   email ').toArray()).toEqual(['email', 'openid'])
    expect(parse('').equals(ScopeSet.empty)).toBe(true)
  })

  test('offline_access is dropped, and only in this spelling', () => {
    expect(parse('openid offline_access').toArray()).toEqual(['openid'])
    expect(parse('offline_access').equals(ScopeSet.empty)).toBe(true)
    expect(parse('Offline_Access').size).toBe(1)
    expect(requestedScopes(' offline_access b a  b')).toEqual(['a', 'b'])
  })

  test.each([
    ['a tab between scopes', 'openid\temail'],
    ['a line break', 'openid\nemail'],
    ['a quote', 'open"id'],
    ['a backslash', 'open\\id'],
    ['a null byte', 'openid\0'],
    ['another alphabet', 'oрenid'],
    ['a no-break space', 'openid\u00a0email'],
  ])('refuses %s as invalid_scope', (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid_scope' }))
  })

  test('any text is either a set whose own text reads back the same, or invalid_scope', () => {
    fc.assert(
      fc.property(fc.string({ unit: letters }), (text) => {
        try {
          const scopes = parse(text)
          expect(parse(scopes.toString()).equals(scopes)).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(OAuthError)
        }
      }),
    )
  })
})

describe('comparing', () => {
  const sets = fc
    .array(fc.constantFrom('openid', 'email', 'profile', 'account:read', 'account:write'))
    .map((scopes) => ScopeSet.of(scopes))

  test('a refresh can be seen to narrow or to widen', () => {
    const granted = parse('openid account:read')
    expect(parse('account:read').isSubsetOf(granted)).toBe(true)
    expect(parse('account:read account:write').isSubsetOf(granted)).toBe(false)
    expect(granted.isSubsetOf(granted)).toBe(true)
    expect(ScopeSet.empty.isSubsetOf(granted)).toBe(true)
  })

  test('a scope is compared whole and in its own case', () => {
    expect(parse('account:read').has('account')).toBe(false)
    expect(parse('account:read').has('Account:Read')).toBe(false)
    expect(parse('openid').has('toString')).toBe(false)
  })

  test('union, difference and subset agree with one another', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const both = a.union(b)
        expect(a.isSubsetOf(both) && b.isSubsetOf(both)).toBe(true)
        expect(both.equals(b.union(a))).toBe(true)
        expect(both.minus(b).isSubsetOf(a)).toBe(true)
        expect(a.minus(b).union(b).equals(both)).toBe(true)
        expect(a.isSubsetOf(b)).toBe(a.minus(b).size === 0)
        expect(a.equals(b)).toBe(a.toString() === b.toString())
      }),
    )
  })
})

test('a set never changes, whatever is done with its array', () => {
  const scopes = parse('openid')
  scopes.toArray().push('account:read')
  expect(scopes.has('account:read')).toBe(false)
  expect([...scopes]).toEqual(['openid'])
  expect(JSON.stringify({ scope: scopes })).toBe('{"scope":"openid"}')
})
