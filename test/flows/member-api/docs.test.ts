import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/surfaces/member-api/documents/limits.ts'

test('the limits in the documentation are those in force', async () => {
  const page = await readFile(new URL('../../../docs/member-api.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ])
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIMITS)
})
