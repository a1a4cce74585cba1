import type { Writable } from 'node:stream'
import { exportedColumns } from '../../domain/bulk/export-job.ts'
import { type BulkKind, type ExportKind, shapeOf } from '../../domain/bulk/kind.ts'
import { CommandError, table } from '../outcome.ts'

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

const WIDTH = 24
const REDRAW_MS = 100

/** Shows progress, only on a terminal. */
export class ProgressBar {
  readonly #out: Writable | undefined
  readonly #label: string
  readonly #began = Date.now()
  #drawn = 0
  #share: number | undefined

  constructor(out: Writable, label: string, quiet: boolean) {
    const terminal = Reflect.get(out, 'isTTY') === true
    this.#out = terminal && !quiet ? out : undefined
    this.#label = label
  }

  /** The finished part of the work, from 0 to 1, if known. */
  reach(share: number): void {
    this.#share = Math.min(1, share)
  }

  show(rows: number): void {
    const now = Date.now()
    if (this.#out === undefined || now - this.#drawn < REDRAW_MS) return
    this.#drawn = now
    const seconds = Math.max(0.001, (now - this.#began) / 1000)
    this.#out.write(`\r\x1b[K${barLine(this.#label, this.#share, rows, seconds)}`)
  }

  /** Removes the bar before other output. */
  clear(): void {
    if (this.#drawn > 0) this.#out?.write('\r\x1b[K')
  }
}

export function barLine(
  label: string,
  share: number | undefined,
  rows: number,
  seconds: number,
): string {
  const full = share === undefined ? 0 : Math.round(share * WIDTH)
  const bar =
    share === undefined
      ? ''
      : ` [${'█'.repeat(full)}${'·'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`
  const rate = Math.round(rows / seconds)
  return `${label}${bar}  ${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second`
}
