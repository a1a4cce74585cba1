import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordRun } from '../../scripts/release/node-run.ts'

const GUIDE = readFileSync(new URL('../../docs/guides/install.md', import.meta.url), 'utf8')
const day = new Date('2027-01-02T03:04:05Z')
const passed = { status: 'passed' }
const rowsOf = (guide: string) =>
  /<!-- node-runs -->\n([\s\S]*)<!-- \/node-runs -->/.exec(guide)?.[1]

test('a run of the tests on another Node replaces the line of its version in the guide', () => {
  const run = { numTotalTests: 4321, numFailedTests: 0, testResults: [passed, passed] }
  const guide = recordRun(GUIDE, '24.99.1', day, run)
  expect(rowsOf(guide)).toContain('| 24.99.1 | 2027-01-02 | 4,321 tests in 2 files, all passed |\n')
  expect(rowsOf(guide)?.match(/^\| 24\./gm)).toHaveLength(1)
  expect(recordRun(guide, '24.99.1', day, run)).toBe(guide)
})

test('a failed run is recorded as one, also if a file failed before its tests', () => {
  const run = { numTotalTests: 10, numFailedTests: 0, testResults: [passed, { status: 'failed' }] }
  expect(rowsOf(recordRun(GUIDE, '26.0.0', day, run))).toMatch(
    /\| 26\.0\.0 \| 2027-01-02 \| 10 tests in 2 files, failed tests: 0, failed files: 1 \|\n$/,
  )
})
