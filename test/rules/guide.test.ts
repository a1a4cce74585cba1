import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'

/** Duties that only an integrator can fulfil: the guide must state them. */
const guide = readFileSync(new URL('../../docs/integrators.md', import.meta.url), 'utf8')

verifies('guide.flow-order', 'the guide has its chapters in the order of the flow', () => {
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
  'the guide says what to discover, and what is not offered',
  () => {
    expect(guide).toContain('do not provoke that challenge')
    expect(guide).toContain(
      'no agent-auth extension (identity assertions, service tokens, a claim step)',
    )
  },
)

verifies(
  ['guide.store-resource', 'guide.verify-id-token'],
  'the guide says what a client keeps and verifies',
  () => {
    expect(guide).toContain('Keep the `resource` beside the token')
    for (const claim of ['`iss`', '`aud`', '`exp`', '`nonce`', '`kid`', 'use UserInfo']) {
      expect(guide).toContain(claim)
    }
  },
)

verifies(
  ['guide.sign-out', 'guide.sign-out.each-device', 'guide.lost-refresh'],
  'the guide says how a session ends, and what does not end it',
  () => {
    expect(guide).toContain('Revoke the refresh token')
    expect(guide).toContain('also when the access token has expired')
    expect(guide).toContain('signing out on one device is\nyour app')
    expect(guide).toContain('ask again with the same refresh token')
  },
)

verifies(
  ['guide.match-errors-array', 'guide.billing-history', 'guide.not-my-bookings'],
  'the guide says how not to read the Member API',
  () => {
    expect(guide).toContain('Check `errors`, not only the status')
    expect(guide).toContain('Build a billing history from `payments`')
    expect(guide).toContain('Never show them as the\n  viewer')
  },
)

verifies(
  [
    'guide.documents.check-first',
    'guide.state',
    'guide.nonce',
    'guide.meetings.canceled',
    'guide.meetings.next',
  ],
  'the guide says what a client checks, asks for and filters itself',
  () => {
    expect(guide).toContain('Check `client_id_metadata_document_supported` first')
    expect(guide).toContain('send a new random value each time and refuse a\ncallback')
    expect(guide).toContain('Send a `nonce` in the same way')
    expect(guide).toContain('filter by `state: [available, scheduled]`')
    expect(guide).toContain('`consultingMeetings(last: 1, filter: …)`')
  },
)
