import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'

/** Duties that only the integrator can fulfil: our part is to say them where they will look. */
const guide = readFileSync(new URL('../../docs/integrators.md', import.meta.url), 'utf8')

verifies('guide.flow-order', 'the guide follows the order of the flow', () => {
  const headings = [...guide.matchAll(/^## \d\. (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual([
    'Discover',
    'Choose and register',
    'Get a pair',
    'Use it, and keep it',
    'The Member API',
    'Tools for assistants',
    'Errors',
    'Sign out',
  ])
})

verifies(
  ['guide.discover-first', 'guide.agent-auth'],
  'the guide tells what to discover, and what there is not',
  () => {
    expect(guide).toContain('do not provoke that challenge')
    expect(guide).toContain('Agent-auth extensions are\nnot offered')
  },
)

verifies(
  ['guide.store-resource', 'guide.verify-id-token'],
  'the guide tells what a client keeps and verifies',
  () => {
    expect(guide).toContain('Keep the `resource` beside the token')
    for (const claim of ['`iss`', '`aud`', '`exp`', '`nonce`', '`kid`', 'use UserInfo']) {
      expect(guide).toContain(claim)
    }
  },
)

verifies(
  ['guide.sign-out', 'guide.sign-out.each-device', 'guide.lost-refresh'],
  'the guide tells how a session ends, and how it does not',
  () => {
    expect(guide).toContain('Revoke the refresh token')
    expect(guide).toContain('signing out on one device is\nyour app')
    expect(guide).toContain('ask again with the same refresh token')
  },
)

verifies(
  ['guide.match-errors-array', 'guide.billing-history', 'guide.not-my-bookings'],
  'the guide tells what the Member API does not mean',
  () => {
    expect(guide).toContain('Check `errors`, not only the status')
    expect(guide).toContain('Build a billing history from `payments`')
    expect(guide).toContain('Never show them as the\n  viewer')
  },
)
