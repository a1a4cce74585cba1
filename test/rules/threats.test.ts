import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const [, chapter = ''] = readFileSync(new URL('SECURITY.md', root), 'utf8').split(
  '### What we defend against',
)
const threats = (chapter.split('\n### ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)

test('every threat in SECURITY.md names the test that tries it', () => {
  expect(threats.length).toBeGreaterThan(30)
  expect(threats.filter((threat) => testsOf(threat).length === 0)).toEqual([])
})

test('every test that SECURITY.md names exists', () => {
  const named = new Set(threats.flatMap(testsOf))
  expect([...named].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

/** A path without its first folder is one of `src/domain`. */
function testsOf(threat: string): readonly string[] {
  return [...threat.matchAll(/`([\w/.-]+\.test\.tsx?)`/g)].map(([, path = '']) =>
    /^(test|src)\//.test(path) ? path : `src/domain/${path}`,
  )
}
