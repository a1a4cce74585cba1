import type { AuditRecord } from '../../../domain/audit/read-audit.ts'
import { clientPath, paths } from '../views/admin/admin-page.tsx'
import { RESOURCES } from './school/resources.ts'

/** By the first part of the names of its operations: `courses` of `courses.read`. */
const PATHS = new Map(RESOURCES.map(({ read, path }) => [read.name.split('.')[0] ?? '', path]))

/** Objects whose rows are gone. */
const GONE = /\.(delete|remove)$/

/** The page of what an entry is about, if it has one. */
export function objectUrlOf({ action, client, subject, detail }: AuditRecord): string | undefined {
  if (action.startsWith('client.')) {
    return client === undefined || action === 'client.deleted' ? undefined : clientPath(client.id)
  }
  if (action.startsWith('key.')) return paths.keys
  if (action === 'school.changed') return paths.settings
  const { operation } = detail
  if (typeof operation !== 'string' || subject === undefined || GONE.test(operation))
    return undefined
  const path = PATHS.get(operation.split('.')[0] ?? '')
  return path === undefined ? undefined : `/admin/${path}/${encodeURIComponent(subject)}`
}
