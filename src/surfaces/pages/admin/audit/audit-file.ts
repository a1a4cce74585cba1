import {
  type AuditFilter,
  type AuditRecord,
  readAudit,
} from '../../../../domain/audit/read-audit.ts'
import type { SchoolDb } from '../../../../foundation/db/school-db.ts'
import { csvLine, guarded } from '../../../../foundation/tabular/csv-reader.ts'
import { visibleText } from '../../../../foundation/text/visible-text.ts'

export const FILE_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const

type FileType = keyof typeof FILE_TYPES

export function isFileType(text: string): text is FileType {
  return Object.hasOwn(FILE_TYPES, text)
}

const ENTRIES_READ = 500

/** The entries as text, in pieces, newest first. */
export async function* auditFile(
  db: SchoolDb,
  filter: AuditFilter,
  type: FileType,
): AsyncGenerator<string, void, void> {
  if (type === 'csv') yield csvLine(Object.keys(columnsOf(NO_ENTRY)))
  let before: string | undefined
  do {
    const page = await readAudit(db, filter, { before, limit: ENTRIES_READ })
    yield page.entries.map((entry) => lineOf(entry, type)).join('')
    before = page.next
  } while (before !== undefined)
}

function lineOf(entry: AuditRecord, type: FileType): string {
  const columns = columnsOf(entry)
  if (type === 'ndjson') {
    return visibleText(`${JSON.stringify({ ...columns, detail: entry.detail })}\n`)
  }
  return csvLine(Object.values(columns).map((text) => (text === null ? null : cellOf(text))))
}

/**
 * As on the pages: a name of an older release may hold controls of direction, which reorder a line.
 * They are removed before the guard looks for a formula, because one of them could stand before it.
 */
function cellOf(text: string): string {
  return guarded(visibleText(text))
}

const NO_ENTRY: AuditRecord = {
  id: '',
  at: new Date(0),
  action: '',
  outcome: '',
  actor: undefined,
  client: undefined,
  subject: undefined,
  detail: {},
  requestId: undefined,
}

function columnsOf(entry: AuditRecord): Readonly<Record<string, string | null>> {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    action: entry.action,
    outcome: entry.outcome,
    person_id: entry.actor?.id ?? null,
    person_name: entry.actor?.name ?? null,
    person_email: entry.actor?.email ?? null,
    client_id: entry.client?.id ?? null,
    client_name: entry.client?.name ?? null,
    subject: entry.subject ?? null,
    request_id: entry.requestId ?? null,
    detail: JSON.stringify(entry.detail),
  }
}
