import { expect, test } from 'vitest'
import { relyingPartyOf } from './verify.ts'

const shared = { domain: 'schools.example', origins: ['https://north.example'] }

test.each([
  ['https://harbor.example:8443', undefined, 'harbor.example'],
  ['https://harbor.schools.example', undefined, 'harbor.schools.example'],
  ['https://schools.example', shared, 'schools.example'],
  ['https://harbor.schools.example', shared, 'schools.example'],
  ['https://north.example', shared, 'schools.example'],
  ['http://north.example', shared, 'north.example'],
  ['https://north.example:8443', shared, 'north.example'],
  ['https://evilschools.example', shared, 'evilschools.example'],
  ['https://schools.example.evil.test', shared, 'schools.example.evil.test'],
])('%s with %j has passkeys of %s, and answers from itself alone', (origin, with_, id) => {
  const isShared = id === 'schools.example'
  expect(relyingPartyOf(origin, with_)).toEqual({ id, origin, isShared })
})
