import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exportedColumns } from '../../src/domain/bulk/export-job.ts'
import type { BulkKind, ExportKind } from '../../src/domain/bulk/kind.ts'
import { BULK_KINDS, EXPORT_KINDS } from '../../src/domain/catalogue/bulk-kinds.ts'
import { exportedBy, importedBy } from '../../src/domain/catalogue/transfer-operations.ts'
import type { ListPlan } from '../../src/surfaces/pages/admin/crud/list-plan.ts'
import { RESOURCES } from '../../src/surfaces/pages/admin/resources/all-resources.ts'

const PAGE = new URL('../../docs/import-export.md', import.meta.url)
const KINDS = /(<!-- kinds -->\n)[\s\S]*(<!-- \/kinds -->)/
const LISTS = /(<!-- lists -->\n)[\s\S]*(<!-- \/lists -->)/

const isImported = (kind: ExportKind): kind is BulkKind => BULK_KINDS.some((one) => one === kind)

function sectionOf(kind: ExportKind): string {
  const { scopes, notInAdmin } = kind
  const ways = (scope: string | undefined, isInAdmin: boolean): string =>
    [
      ...(scope === undefined ? [] : [`\`${scope}\``]),
      ...(isInAdmin ? ['admin area'] : []),
      'command line',
    ].join(', ')
  const imported = isImported(kind) ? kind : undefined
  const columns = imported?.columns ?? {}
  const taken = Object.entries(columns).map(([name, { needed, fixed, note }]) => {
    const marks = `${needed === true ? '\\*' : ''}${fixed === true ? '°' : ''}`
    return `\`${name}\`${marks}${note === undefined ? '' : ` (${note})`}`
  })
  const shown = exportedColumns(kind).filter((name) => !Object.hasOwn(columns, name))
  const imports = imported === undefined ? 'none' : ways(scopes.write, notInAdmin === undefined)
  return [
    `### ${kind.name}`,
    '',
    `${kind.about}${imported === undefined ? '' : ` A row is named by ${imported.named}.`}`,
    '',
    `- Export: ${ways(scopes.read, true)}. Import: ${imports}.${notInAdmin === undefined ? '' : ` ${notInAdmin}`}`,
    ...(taken.length === 0 ? [] : [`- Columns: ${taken.join(', ')}.`]),
    ...(shown.length === 0
      ? []
      : [`- Exported only: ${shown.map((name) => `\`${name}\``).join(', ')}.`]),
    '',
    '',
  ].join('\n')
}

/**
 * Lists without a kind of rows, each with its reason. A new list is in neither place, and fails.
 */
const NEITHER: Readonly<Record<string, string>> = {
  'jobs.list': 'What the server did in the last week; it is no data of the school.',
}

function rowOf(path: string, { operation }: ListPlan, within: readonly string[]): string {
  const exported = exportedBy(operation)
  const imported = importedBy(operation, within)
  if (exported === undefined) {
    const reason = NEITHER[operation.name]
    if (reason === undefined) throw new Error(`${path} has no export: say why, or add a kind`)
    return `| \`${path}\` | | | ${reason} |`
  }
  const kind = EXPORT_KINDS.find(({ name }) => name === exported)
  const whole = importedBy(operation, [])
  const elsewhere = whole === undefined ? undefined : 'Import them in the list of all.'
  const reason = imported === undefined ? (kind?.notInAdmin ?? elsewhere) : ''
  if (reason === undefined) throw new Error(`${path} has no import: say why`)
  return `| \`${path}\` | \`${exported}\` | ${imported === undefined ? '' : 'yes'} | ${reason} |`
}

function lists(): string {
  const rows = RESOURCES.flatMap(({ path, list, related = [] }) => [
    ...(list === undefined ? [] : [rowOf(`/admin/${path}`, list, [])]),
    ...related.map(({ path: part, rows: { list: own, by } }) =>
      rowOf(`/admin/${path}/…/${part}`, own, [by]),
    ),
  ])
  const head = '| List | Exports | Imports | Why not |\n| --- | --- | --- | --- |'
  return `\n${head}\n${rows.join('\n')}\n\n`
}

test('docs/import-export.md lists every kind with its columns and scopes, and every list of the admin area (UPDATE_DOCS=1 rewrites it)', () => {
  const text = readFileSync(PAGE, 'utf8')
  const wanted = text
    .replace(KINDS, `$1\n${EXPORT_KINDS.map(sectionOf).join('')}$2`)
    .replace(LISTS, `$1${lists()}$2`)
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted)
  expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
})

test('the admin area imports what a form there or an app can create, and nothing else', () => {
  const shown = RESOURCES.flatMap((resource) => [
    { of: resource, list: resource.list },
    ...(resource.related ?? []).map(({ of, rows }) => ({ of, list: rows.list })),
  ])
  const created = shown.flatMap(({ of, list }) =>
    of.create === undefined || list === undefined ? [] : [exportedBy(list.operation)],
  )
  for (const { name, scopes, notInAdmin } of BULK_KINDS) {
    const canBeCreated = created.includes(name) || scopes.write !== undefined
    expect([name, notInAdmin === undefined]).toEqual([name, canBeCreated])
  }
})
