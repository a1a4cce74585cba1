import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { printConformance, printRfc9700 } from './print-docs.ts'
import { readVerifications } from './read-verifications.ts'

const verifications = readVerifications(process.cwd())

const pages = [
  { file: 'docs/conformance.md', print: printConformance },
  { file: 'docs/rfc9700.md', print: printRfc9700 },
]

describe('the pages about conformance', () => {
  for (const { file, print } of pages) {
    test(`${file} lists the tests`, () => {
      const text = print(verifications)
      if (process.env.UPDATE_DOCS === '1') {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      }
      const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
      expect(committed, 'out of date: run UPDATE_DOCS=1 npx vitest run test/spec').toBe(text)
    })
  }

  test('a row names its test with file and title, or the reason of its deviation, or "not yet"', () => {
    const proof = { file: 'test/x.test.ts', line: 1, ids: ['rfc9700.iss'], title: 'iss | always' }
    const lines = printRfc9700([proof]).split('\n')
    const row = (start: string) => lines.find((line) => line.includes(start))
    expect(row('iss is in successful and failed')).toMatch(
      /\| \[test\/x\.test\.ts\]\(\.\.\/test\/x\.test\.ts\): iss \\\| always \|$/,
    )
    expect(row('tied to a key')).toMatch(/\| \*\*Deviates:\*\* bearer tokens \|$/)
    expect(row('password grant')).toMatch(/\| not yet \|$/)
  })
})
