import { exportedColumns } from '../../domain/bulk/export-job.ts'
import { type BulkKind, type ExportKind, shapeOf } from '../../domain/bulk/kind.ts'
import { CommandError } from '../outcome.ts'
import { table } from '../table.ts'

export function loadKind<K extends ExportKind>(kinds: readonly K[], name: string): K {
  const kind = kinds.find((one) => one.name === name)
  if (kind !== undefined) return kind
  const known = kinds.map((other) => other.name).join(', ')
  throw new CommandError(`There is nothing called "${name}".`, `choose one of: ${known}`, 2)
}

export function kindList(kinds: readonly ExportKind[]): string {
  const width = Math.max(...kinds.map(({ name }) => name.length))
  const lines = kinds.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`)
  return `What there is, in the order in which to import it:\n${lines.join('\n')}`
}

/** The columns that a file of this kind may have. */
export function describeKind(kind: BulkKind) {
  const columns = Object.entries(kind.columns).map(([name, { schema, needed, fixed, note }]) => {
    const { type, nullable } = shapeOf(schema)
    return { name, type, nullable, needed: needed === true, fixed: fixed === true, note }
  })
  const exported = exportedColumns(kind)
  return {
    kind: kind.name,
    about: kind.about,
    named_by: kind.named,
    columns,
    exported_only: exported.filter((name) => !Object.hasOwn(kind.columns, name)),
    example: kind.example,
  }
}

export function kindAsText(kind: BulkKind): string {
  const { about, named_by, columns, exported_only, example } = describeKind(kind)
  const rows = columns.map(({ name, type, nullable, needed, fixed, note }) => [
    name,
    nullable ? `${type} or empty` : type,
    needed ? 'yes' : '',
    fixed ? 'no' : 'yes',
    note ?? '',
  ])
  return [
    about,
    `A row names its object by ${named_by}.`,
    '',
    table(['column', 'holds', 'a new one needs it', 'can change', ''], rows, ''),
    '',
    ...(exported_only.length === 0
      ? []
      : [`Also in an export, and passed over by an import: ${exported_only.join(', ')}.`]),
    `For example: ${JSON.stringify(example)}`,
  ].join('\n')
}
