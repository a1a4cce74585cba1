import { describe, expect, test } from 'vitest'
import { describeScopes } from './scope-words.ts'

describe('describeScopes', () => {
  test('sorts scopes into who you are, what is seen and what is changed', () => {
    expect(describeScopes(['account:write', 'orders:read', 'email'])).toEqual({
      identity: ['Your email address'],
      read: ['Orders and payments'],
      change: ['Which notifications are read, and which ones you get'],
    })
  })

  test('says the same whatever order an app asks in', () => {
    const scopes = ['courses:read', 'openid', 'account:read', 'courses:write']
    expect(describeScopes(scopes.toReversed())).toEqual(describeScopes(scopes))
  })

  test('shows a scope without words as a change', () => {
    expect(describeScopes(['grades:read']).change).toEqual(['grades:read'])
  })
})
