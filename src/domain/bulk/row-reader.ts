import { z } from 'zod'
import { KNOWN_CALLER, walkJson } from '../../foundation/json/json-walk.ts'
import { type Cell, csvReader, lineReader, unguarded } from '../../foundation/tabular/csv-reader.ts'
import { type FileRecord, readRecords } from '../../foundation/tabular/read-records.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { type InputProblem, judgeInput, pointerTo } from '../operation/refusal.ts'
import { type BulkKind, type ImportRow, shapeOf } from './kind.ts'

/** What the reader of a file has to know of its rows. */
export interface RowShape extends Pick<BulkKind, 'name' | 'columns' | 'instead'> {
  readonly of: { readonly schema: z.ZodObject }
}

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export type ReadRow =
  | ImportRow
  | { readonly line: number; readonly problems: readonly InputProblem[] }

/** The first line of a CSV file names columns that this kind does not have. No row was read. */
export class HeadingError extends Error {
  override readonly name = 'HeadingError'
  readonly problems: readonly InputProblem[]

  constructor(problems: readonly InputProblem[]) {
    super('the heading of the file is wrong')
    this.problems = problems
  }
}

/**
 * The column of each heading of a file. An empty text leaves the heading out; one that is not named
 * is a column itself.
 */
export type ColumnNames = Readonly<Record<string, string>>

/** The object that rows belong to which do not name another one: the id for a column. */
export type Within = Readonly<Record<string, string>>

/** Reads the rows of a file and checks the values of each. */
export async function* readRows(
  kind: RowShape,
  format: Format,
  source: AsyncIterable<Uint8Array>,
  columns: ColumnNames = {},
  within: Within = {},
): AsyncGenerator<ReadRow[], void, void> {
  const check = rowChecker(kind, within)
  if (format === 'ndjson') {
    const isRenamed = Object.keys(columns).length > 0
    const parseRow = (text: string) =>
      isRenamed ? renamed(kind, parseObject(text), columns) : parseObject(text)
    for await (const records of readRecords(source, lineReader())) {
      yield records.map((record) => readRecord(record, check, parseRow))
    }
    return
  }
  let parse: ((cells: readonly Cell[]) => unknown) | undefined
  for await (const records of readRecords(source, csvReader())) {
    const rows: ReadRow[] = []
    for (const record of records) {
      if (parse === undefined) parse = headedParser(kind, record, columns)
      else rows.push(readRecord(record, check, parse))
    }
    yield rows
  }
}

type Check = (row: Record<string, unknown>) => Record<string, unknown> | readonly InputProblem[]

function readRecord<T>(
  record: FileRecord<T>,
  check: Check,
  parse: (content: T) => unknown,
): ReadRow {
  const { line } = record
  if ('problem' in record) return { line, problems: [{ pointer: '', ...record.problem }] }
  const row = parse(record.content)
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    return { line, problems: [typeof row === 'string' ? malformed(row) : NO_OBJECT] }
  }
  const checked = check(row as Record<string, unknown>)
  if (Array.isArray(checked)) return { line, problems: checked }
  // Only an escape can write half a surrogate pair: as bytes it would not be UTF-8.
  const escaped = typeof record.content === 'string' && record.content.includes('\\u')
  if (escaped && HALF_CHARACTER.test(JSON.stringify(checked))) return { line, problems: [HALVED] }
  return { line, values: checked as Record<string, unknown> }
}

const malformed = (detail: string): InputProblem => ({ pointer: '', code: 'malformed', detail })
const NO_OBJECT = malformed('Write one JSON object on each line.')

/** The object on a line, or a text that says what is wrong with the line. */
function parseObject(text: string): unknown {
  const { excess } = walkJson(text, KNOWN_CALLER)
  if (excess !== undefined) return excess
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? undefined : value
  } catch {
    return 'This line is not JSON. Write one JSON object on each line.'
  }
}

/** An object with the names of columns in place of the headings. */
function renamed(kind: RowShape, row: unknown, columns: ColumnNames): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row
  const members = new Map<string, unknown>()
  for (const [written, value] of Object.entries(row)) {
    const heading = headingName(written)
    const name = columnOf(written, heading, columns)
    const before = isJoined(kind, name, heading, columns) ? members.get(name) : undefined
    if (name !== '') members.set(name, joined(before, value))
  }
  return Object.fromEntries(members)
}

/**
 * Whether the texts of several headings may become one: only for headings whose column was chosen.
 */
function isJoined(kind: RowShape, name: string, heading: string, columns: ColumnNames): boolean {
  const column = Object.hasOwn(kind.columns, name) ? kind.columns[name] : undefined
  return column?.joins === true && Object.hasOwn(columns, heading)
}

/**
 * Two texts as one, in the order of the file. A value that is no text stays, and is refused later.
 */
function joined(before: unknown, value: unknown): unknown {
  if (before === undefined || before === null || before === '') return value
  if (value === undefined || value === null || value === '') return before
  if (typeof before !== 'string' || typeof value !== 'string') return [before, value]
  return `${before.trim()} ${value.trim()}`.trim()
}

function columnOf(written: string, heading: string, columns: ColumnNames): string {
  return Object.hasOwn(columns, heading) ? (columns[heading] ?? '') : written
}

/** Half a surrogate pair, which PostgreSQL's JSON refuses. */
const HALF_CHARACTER = /\\u[dD][89a-fA-F]/

const HALVED: InputProblem = {
  pointer: '',
  code: 'invalid_text',
  detail: 'A text contains half of a surrogate pair. Write the whole character.',
}

/** A time as exports write it. */
const IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function rowChecker(kind: RowShape, within: Within): Check {
  const shape = Object.fromEntries(
    Object.entries(kind.columns).map(([name, { schema }]) => [name, schema.optional()]),
  )
  const schema = z.strictObject(shape)
  const isPlain = plainRows(shape)
  const passedOver = new Set(
    Object.keys(kind.of.schema.shape).filter((name) => !Object.hasOwn(kind.columns, name)),
  )
  const times = Object.entries(kind.columns)
    .filter(([, column]) => shapeOf(column.schema).type === 'time')
    .map(([name]) => name)
  const given = Object.entries(within).map(([name, id]) => ({
    name,
    id,
    others: [name, ...(kind.instead?.[name] ?? [])],
  }))
  return (row) => {
    let values = without(row, passedOver)
    if (!isPlain(values)) {
      const judged = judgeInput(schema, values)
      if (judged.problems !== undefined) return judged.problems.slice(0, 20)
      values = judged.data as Record<string, unknown>
    }
    for (const name of times) {
      const time = values[name]
      if (typeof time !== 'string' || IN_UTC.test(time)) continue
      values[name] = new Date(time).toISOString()
    }
    for (const { name, id, others } of given) {
      if (others.every((other) => values[other] == null)) values[name] = id
    }
    return values
  }
}

function without(
  row: Record<string, unknown>,
  names: ReadonlySet<string>,
): Record<string, unknown> {
  const members = Object.keys(row)
  if (!members.some((name) => names.has(name))) return row
  const rest: Record<string, unknown> = {}
  for (const name of members) if (!names.has(name)) rest[name] = row[name]
  return rest
}

/** Far more than any kind has. */
const MAX_COLUMNS = 1000

const TOO_WIDE: InputProblem = {
  pointer: '',
  code: 'too_long',
  detail: `The first line names more than ${MAX_COLUMNS} columns.`,
}

const UNNAMED = 'The row has a value below an empty heading. Name the column, or remove it.'

/** Returns a function that turns the cells below a heading into a row. */
function headedParser(
  kind: RowShape,
  heading: FileRecord<readonly Cell[]>,
  columns: ColumnNames,
): (cells: readonly Cell[]) => unknown {
  if ('problem' in heading) throw new HeadingError([{ pointer: '', ...heading.problem }])
  if (heading.content.length > MAX_COLUMNS) throw new HeadingError([TOO_WIDE])
  const headings = heading.content.map((cell) => (cell ?? '').trim())
  const own = headingNames(headings)
  const names = headings.map((name, place) => columnOf(name, own[place] ?? '', columns))
  const known = (name: string): boolean =>
    Object.hasOwn(kind.columns, name) || Object.hasOwn(kind.of.schema.shape, name)
  const problems = names.flatMap((name, place): InputProblem[] => {
    if (name === '') return []
    if (!known(name)) {
      const detail = `The heading names a column that ${kind.name} do not have. Remove it, or check its spelling.`
      return [{ pointer: pointerTo([oneLine(name, 100)]), code: 'unknown_field', detail }]
    }
    const first = names.indexOf(name)
    if (first === place) return []
    if ([first, place].every((one) => isJoined(kind, name, own[one] ?? '', columns))) return []
    return [{ pointer: `/${name}`, code: 'repeated', detail: 'Name each column once.' }]
  })
  if (problems.length > 0) throw new HeadingError(problems.slice(0, 20))
  const mustBeEmpty = own.map(
    (name, place) => headings[place] === '' && !Object.hasOwn(columns, name),
  )
  const readers = names.map((name) => cellReader(kind, name))
  return (cells) => {
    if (cells.length > names.length) return 'The row has more cells than the heading has columns.'
    const row: Record<string, unknown> = {}
    for (const [place, cell] of cells.entries()) {
      if (mustBeEmpty[place] === true && (cell ?? '').trim() !== '') return UNNAMED
      const value = readers[place]?.(cell)
      const name = names[place] ?? ''
      if (value !== undefined) row[name] = joined(row[name], value)
    }
    return row
  }
}

/**
 * An empty cell is null if the column can be null, else left out. A cell of the wrong type stays
 * text, and is refused later.
 */
function cellReader(kind: RowShape, name: string): (cell: Cell) => unknown {
  const column = kind.columns[name]
  if (column === undefined) return () => undefined
  const { type, nullable } = shapeOf(column.schema)
  const nothing = nullable ? null : undefined
  return (cell) => {
    if (cell === null) return nothing
    if (type === 'text') return unguarded(cell)
    const text = cell.trim()
    if (text === '') return nothing
    if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
    if (type === 'boolean') return { true: true, false: false }[text.toLowerCase()] ?? text
    return type === 'json' ? jsonOf(text) : text
  }
}

/** Text that is no JSON, or too much of it, stays text, and the column refuses it. */
function jsonOf(text: string): unknown {
  if (walkJson(text, KNOWN_CALLER).excess !== undefined) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Longer texts rarely repeat. */
const MAX_KNOWN_LENGTH = 80
const MAX_KNOWN = 2000

/**
 * Whether every value of a row is a primitive that its column accepts unchanged. False also means
 * "not sure": then the schema of the whole row decides and makes the refusal. Files repeat values
 * (emails, states, slugs), so valid values are cached.
 */
function plainRows(
  shape: Readonly<Record<string, z.ZodType>>,
): (row: Readonly<Record<string, unknown>>) => boolean {
  const columns = new Map(
    Object.entries(shape).map(([name, schema]) => [name, { schema, known: new Set<unknown>() }]),
  )
  return (row) => {
    for (const name in row) {
      const column = columns.get(name)
      if (column === undefined) return false
      const value = row[name]
      if (column.known.has(value)) continue
      // Schemas of lists and objects may fill in defaults, so the parsed value differs from the
      // given one.
      if (typeof value === 'object' && value !== null) return false
      const { data } = column.schema.safeParse(value)
      if (data !== value) return false
      if (typeof value === 'string' && value.length > MAX_KNOWN_LENGTH) continue
      if (column.known.size >= MAX_KNOWN) column.known.clear()
      column.known.add(value)
    }
    return true
  }
}

const NAME_LENGTH = 200

/** A heading on one line: forms of browsers change the ends of lines in what they send back. */
export function headingName(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, NAME_LENGTH)
}

/** The headings of a file, each with a name of its own: the second "Email" is "Email (2)". */
export function headingNames(cells: readonly (string | null)[]): readonly string[] {
  const written = cells.map((cell) => headingName(cell ?? ''))
  const taken = new Set(written)
  const seen = new Set<string>()
  return written.map((name) => {
    if (!seen.has(name)) {
      seen.add(name)
      return name
    }
    let number = 2
    while (taken.has(`${name} (${number})`.trim())) number += 1
    const own = `${name} (${number})`.trim()
    taken.add(own)
    return own
  })
}
