import { describe, expect, test } from 'vitest'
import { finishedAreas } from './finished-areas.ts'
import { coverage, duplicateIds, sharedRuns, unknownIds, unproven } from './judge-ledger.ts'
import { readVerifications } from './read-verifications.ts'
import { sources } from './requirements/chapter.ts'
import { requirements } from './requirements.ts'
import { statements } from './spec.ts'

const verifications = readVerifications(process.cwd())

describe('the requirement ledger', () => {
  test('gives every statement a unique id', () => {
    expect(duplicateIds(statements)).toEqual([])
  })

  test('says each thing once, in a full sentence', () => {
    expect(statements.filter(({ says }) => !/^\S.*\.$/.test(says))).toEqual([])
    expect(sharedRuns(statements)).toEqual([])
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

  test('prints the progress of each area', () => {
    const lines = coverage(statements, verifications).map(({ area, settled, total }) => {
      const state = finishedAreas.includes(area) ? 'finished' : 'open'
      return `  ${area.padEnd(12)} ${String(settled).padStart(3)} of ${total}  ${state}\n`
    })
    process.stdout.write(
      `Requirement ledger, statements with a test or a stated deviation:\n${lines.join('')}`,
    )
    expect(lines).not.toEqual([])
  })
})
