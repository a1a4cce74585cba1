import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { UUID } from '../../foundation/protocol/token-format.ts'
import { type Cell, csvLine, guarded } from '../../foundation/tabular/csv-reader.ts'
import type { Actor } from '../actor/actor.ts'
import type { JobKind } from '../jobs/job.ts'
import { FileInParts } from '../jobs/job-file.ts'
import { startJob } from '../jobs/start-job.ts'
import { filterCondition } from '../operation/list-filters.ts'
import { countObjects } from '../operation/list-operation.ts'
import { invalid } from '../operation/refusal.ts'
import { selectObjects } from '../operation/resource.ts'
import { type ExportKind, shapeOf } from './kind.ts'
import type { Format } from './row-reader.ts'

export interface ExportInput {
  readonly format: Format
  readonly after?: string | undefined
  /** Values for filters of the kind's list. */
  readonly only?: Readonly<Record<string, unknown>>
}

interface ExportCursor {
  /** The key of the last row in the stored parts. */
  readonly after: string
  readonly bytes: number
}

/** In characters; see `FileInParts`. */
const PART_LENGTH = 4 * 1024 * 1024

export const TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** Exports all objects of a kind into a file that the person who asked downloads. */
export function exportJob(kind: ExportKind): JobKind<ExportInput, ExportCursor> {
  return {
    name: `${kind.name.replaceAll('-', '_')}.export`,
    async run(job) {
      const { db, actor, input } = job
      const file = new FileInParts(job)
      const { format, only = {} } = input
      const total = job.total ?? (await countExported(db, actor, kind, { ...input, only }))
      const after = job.cursor?.after ?? input.after
      let rows = 0
      let last = after ?? ''
      const store = async () => {
        await file.store((sizeBytes) => ({
          cursor: { after: last, bytes: (job.cursor?.bytes ?? 0) + sizeBytes },
          done: job.done + rows,
          total,
        }))
        rows = 0
      }
      for await (const page of exportRows(db, actor, kind, { format, after, only })) {
        // The file has its heading already.
        if (page.last === undefined && job.cursor !== undefined) continue
        file.add(page.text)
        rows += page.rows
        last = page.last ?? last
        if (file.length >= PART_LENGTH) await store()
      }
      if (file.length > 0 || job.cursor === undefined) await store()
      return {
        resource: kind.name,
        rows: job.done,
        bytes: job.cursor?.bytes ?? 0,
        file_name: `${kind.name}.${format}`,
        content_type: TYPES[format],
      }
    },
  }
}

export async function startExport(
  tx: SchoolTx,
  actor: Actor,
  kind: ExportKind,
  input: ExportInput,
): Promise<string> {
  return await startJob(tx, actor, exportJob(kind), {
    input,
    title: `Export of ${kind.name.replaceAll('-', ' ')}`,
    scopes: kind.scopes.read === undefined ? [] : [kind.scopes.read],
  })
}

export interface ExportOptions {
  readonly format: Format
  /** The key of the last row that the caller has; the export continues after it. */
  readonly after?: string | undefined
  /** Values for filters of the kind's list. */
  readonly only?: Readonly<Record<string, unknown>>
}

/** Some rows of an export as text of the file. */
export interface ExportedRows {
  readonly text: string
  readonly rows: number
  /** The key of the last row, to continue after it; undefined for the heading. */
  readonly last?: string
}

/**
 * The first rows may be large ones, so there are few; a later page has up to so many times as many
 * as the one before.
 */
const FIRST_PAGE = 20
const GROWTH = 5
/** A page is read and written without a pause: more rows would hold up other requests. */
const MAX_PAGE = 500
/** Rows may be large, so a page aims at this many characters. */
const PAGE_LENGTH = 512 * 1024

/**
 * Exports all objects of a kind in the order of their keys, one page at a time: memory holds one
 * page, and no transaction stays open while a slow client reads. An object that exists during the
 * whole export is in the file exactly once; one that is created or removed meanwhile may be in it.
 */
export async function* exportRows(
  db: SchoolDb,
  viewer: Pick<Actor, 'origin'>,
  kind: ExportKind,
  { format, after, only = {} }: ExportOptions,
): AsyncGenerator<ExportedRows, void, void> {
  const columns = exportedColumns(kind)
  if (format === 'csv') yield { text: csvLine(columns), rows: 0 }
  const write = format === 'csv' ? csvWriter(kind, columns) : ndjsonLine
  let last = after === undefined ? undefined : parseKey(kind, after)
  const { sql: wanted } = await filterCondition(kind.list?.filters ?? {}, db, only)
  let limit = FIRST_PAGE
  for (;;) {
    const page = sql`${wanted} and ${behind(kind, last, limit)}`
    const objects = await selectObjects(db, viewer, kind.of, page)
    if (objects.length === 0) return
    const text = objects.map((object) => write(object)).join('')
    last = kind.key.map((name) => String(objects.at(-1)?.[name]))
    yield { text, rows: objects.length, last: last.join(',') }
    if (objects.length < limit) return
    const length = Math.max(1, text.length / objects.length)
    limit = Math.max(1, Math.min(MAX_PAGE, GROWTH * limit, Math.floor(PAGE_LENGTH / length)))
  }
}

/** How many rows such an export has now. */
async function countExported(
  db: SchoolDb,
  viewer: Pick<Actor, 'origin'>,
  kind: ExportKind,
  { after, only = {} }: Omit<ExportOptions, 'format'>,
): Promise<number> {
  const { sql: wanted } = await filterCondition(kind.list?.filters ?? {}, db, only)
  const last = after === undefined ? undefined : parseKey(kind, after)
  return await countObjects(db, viewer, kind.of, sql`${wanted} and ${isBehind(kind, last)}`)
}

/** The members of the object, without expansions. */
export function exportedColumns(kind: ExportKind): readonly string[] {
  const related = Object.keys(kind.of.expansions ?? {})
  return Object.keys(kind.of.schema.shape).filter(
    (name) => name !== 'object' && !related.includes(name),
  )
}

const ndjsonLine = (object: Record<string, unknown>): string => `${JSON.stringify(object)}\n`

function csvWriter(kind: ExportKind, columns: readonly string[]) {
  const types = columns.map((name) => shapeOf(kind.of.schema.shape[name]).type)
  return (object: Record<string, unknown>): string =>
    csvLine(
      columns.map((name, place): Cell => {
        const value = object[name]
        if (value === null || value === undefined) return null
        if (typeof value === 'object') return JSON.stringify(value)
        return types[place] === 'text' ? guarded(String(value)) : String(value)
      }),
    )
}

const keyIn = (kind: ExportKind) => sql.join(kind.key.map((name) => sql`r.${sql.ref(name)}`))

function isBehind(kind: ExportKind, last: readonly string[] | undefined) {
  return last === undefined
    ? sql`true`
    : sql`(${keyIn(kind)}) > (${sql.join(last.map((value) => sql`${value}::uuid`))})`
}

function behind(kind: ExportKind, last: readonly string[] | undefined, limit: number) {
  return sql`${isBehind(kind, last)} order by ${keyIn(kind)} limit ${limit}`
}

function parseKey(kind: ExportKind, after: string): readonly string[] {
  const parts = after.split(',')
  if (parts.length === kind.key.length && parts.every((part) => UUID.test(part))) return parts
  const detail = `Write ${kind.key.join(',')} of the last row that you have.`
  throw invalid('after', 'invalid', detail)
}
