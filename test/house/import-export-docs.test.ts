import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exportedColumns } from '../../src/domain/bulk/export-rows.ts'
import type { BulkKind } from '../../src/domain/bulk/kind.ts'
import { BULK_KINDS } from '../../src/domain/bulk/kinds.ts'

const PAGE = new URL('../../docs/import-export.md', import.meta.url)
const KINDS = /(<!-- kinds -->\n)[\s\S]*(<!-- \/kinds -->)/

function sectionOf(kind: BulkKind): string {
  const { read, write } = kind.scopes
  const taken = Object.entries(kind.columns).map(([name, { needed, fixed, note }]) => {
    const marks = `${needed === true ? '\\*' : ''}${fixed === true ? '°' : ''}`
    return `\`${name}\`${marks}${note === undefined ? '' : ` (${note})`}`
  })
  const shown = exportedColumns(kind).filter((name) => !Object.hasOwn(kind.columns, name))
  return [
    `### ${kind.name}`,
    '',
    `${kind.about} A row is named by ${kind.named}.`,
    '',
    `- Export: ${read === undefined ? 'command line' : `\`${read}\`, command line`}. Import: ${write === undefined ? 'command line' : `\`${write}\`, command line`}.`,
    `- Columns: ${taken.join(', ')}.`,
    ...(shown.length === 0
      ? []
      : [`- Exported only: ${shown.map((name) => `\`${name}\``).join(', ')}.`]),
    '',
    '',
  ].join('\n')
}

test('docs/import-export.md lists every kind with its columns and scopes (UPDATE_DOCS=1 rewrites it)', () => {
  const text = readFileSync(PAGE, 'utf8')
  const wanted = text.replace(KINDS, `$1\n${BULK_KINDS.map(sectionOf).join('')}$2`)
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted)
  expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
})
