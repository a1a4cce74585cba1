import { readFileSync, writeFileSync } from 'node:fs'
import { whenFileIsDone } from './clean-up.ts'

const FIXTURE = new URL('../fixtures/released/statements.json', import.meta.url)

/**
 * The statements of the version that may still serve while the next one has migrated the database.
 * No statement is known from 0.1.0, which does not serve on a later schema anyway, so the first
 * ones are those of the version after it.
 */
export function readKeptStatements(): readonly string[] {
  return JSON.parse(readFileSync(FIXTURE, 'utf8'))
}

/**
 * For `npm run keep-released`: returns a listener that adds what a test file sends to the fixture.
 */
export function keepStatements(): (text: string) => void {
  const seen = new Set<string>()
  whenFileIsDone(async () => {
    const all = new Set([...readKeptStatements(), ...seen])
    writeFileSync(FIXTURE, `${JSON.stringify([...all].toSorted(), null, 2)}\n`)
  })
  return (text) => {
    if (/^\s*(select|with|insert|update|delete)\b/i.test(text)) {
      seen.add(text.trim())
    }
  }
}
