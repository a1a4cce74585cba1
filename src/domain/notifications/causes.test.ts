import { describe, expect, test } from 'vitest'
import { CAUSES, type CauseName, sayMessage } from './causes.ts'

const stored = { title: 'As stored', body: 'In the row.', timeZone: 'Asia/Taipei' }

describe('a stored notification', () => {
  test('is said from its values when it is read, on the clocks of the school', () => {
    const facts = { meeting: 'Office hour', starts_at: '2027-03-02T01:30:00.000Z' }
    expect(sayMessage({ ...stored, kind: 'meeting_moved', facts })).toEqual({
      title: 'A meeting was moved',
      body: 'Office hour now begins on Tuesday, March 2, 2027 at 9:30 AM (Asia/Taipei). The room is in your schedule.',
    })
  })

  test.each([
    ['has no values: an operator wrote it, or it is from before', 'meeting_moved', null],
    ['is of a kind that only a newer version knows', 'planet_aligned', { planet: 'Mars' }],
    ['has values of another version', 'meeting_moved', { day: 'Monday' }],
    ['is named like a member of every object', 'constructor', {}],
  ])('that %s keeps the words of its row', (_what, kind, facts) => {
    expect(sayMessage({ ...stored, kind, facts })).toMatchObject({
      title: 'As stored',
      body: 'In the row.',
    })
  })
})

test('every cause has a name that the column takes, says when it comes, and leads to a path', () => {
  for (const name of Object.keys(CAUSES) as CauseName[]) {
    const { when, url } = CAUSES[name]
    expect(name).toMatch(/^[a-z_]{1,64}$/)
    expect(when, name).toMatch(/^[A-Z].*\.$/)
    expect(url ?? '/', name).toMatch(/^\//)
  }
})
