import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HANDSHAKE_VERSIONS } from '../../src/surfaces/mcp/tool-server.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const report = read('docs/mcp-conformance.md')

test('the report covers the pinned suite and every protocol revision of /mcp', () => {
  const { dependencies } = JSON.parse(read('conformance/package.json'))
  expect(report).toContain(dependencies['@modelcontextprotocol/conformance'])
  for (const revision of [...HANDSHAKE_VERSIONS, '2026-07-28']) {
    expect(report).toContain(`\n| ${revision} |`)
  }
})

test('every expected failure is in the report with its reason', () => {
  const expected: { reason: string; checks: string[] }[] = JSON.parse(
    read('conformance/expected-failures.json'),
  )
  for (const { reason, checks } of expected) {
    expect(report).toContain(reason)
    for (const check of checks) expect(report).toContain(`\`${check}\``)
  }
})
