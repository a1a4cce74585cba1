import { describe, expect, test } from 'vitest'
import { finishedAreas } from './finished-areas.ts'
import { coverage, duplicateIds, unknownIds, unproven } from './judge-ledger.ts'
import { readVerifications } from './read-verifications.ts'
import { sources } from './requirements/chapter.ts'
import { requirements } from './requirements.ts'
import { statements } from './spec.ts'

const verifications = readVerifications(process.cwd())

/**
 * Promises that take a browser, other processes, or many requests at once. All others are proven by
 * `npm test`.
 */
const PROVEN_SLOWLY = [
  'admin-api.dry-run-reads',
  'house.cookies.tossed',
  'house.growth.',
  'house.names.visible',
  'member.limits.',
  'pair.concurrent.no-deadlock',
  'token.database-silent',
  'trouble.',
]

describe('the requirement ledger', () => {
  test('gives every statement a unique id', () => {
    expect(duplicateIds(statements)).toEqual([])
  })

  test('says each thing in a full sentence', () => {
    expect(statements.filter(({ says }) => !/^\S.*\.$/.test(says))).toEqual([])
  })

  test('has a promise for every section of the specification', () => {
    const covered = new Set(requirements.map(({ source }) => source))
    expect(sources.filter((source) => !covered.has(source))).toEqual([])
  })

  test('knows every id that a test verifies', () => {
    expect(unknownIds(statements, verifications)).toEqual([])
  })

  test('finds a test for every promise of a finished area', () => {
    expect(unproven(statements, verifications, finishedAreas)).toEqual([])
  })

  test('knows which promises of the protocols only `npm run test:all` proves', () => {
    const slow = coverage(statements, verifications).flatMap((area) => area.slow)
    expect(
      slow.filter((id) => !PROVEN_SLOWLY.some((start) => id.startsWith(start))),
      'prove it in a test that `npm test` runs, or say here why it takes a slow one',
    ).toEqual([])
  })
})
