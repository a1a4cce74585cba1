import { expect, test } from 'vitest'
import { judgeDurability } from './check-database.ts'

const safe = { fsync: 'on', commit: 'on', names: '', standbys: 0 }

test.each([
  ['one server', safe, 'ok', /no standby/],
  ['a synchronous standby', { ...safe, names: '*', standbys: 1 }, 'ok', /of a standby/],
  [
    'an asynchronous standby',
    { ...safe, standbys: 1 },
    'note',
    /revoked tokens are accepted again/,
  ],
  [
    'commits that do not wait',
    { ...safe, commit: 'local', names: '*', standbys: 2 },
    'note',
    /2 standbys/,
  ],
  ['commits before the disk', { ...safe, commit: 'off' }, 'note', /synchronous_commit=off/],
  ['no fsync', { ...safe, fsync: 'off' }, 'note', /power failure/],
])('%s', (_what, settings, status, message) => {
  expect(judgeDurability(settings)).toMatchObject({
    status,
    message: expect.stringMatching(message),
  })
})
