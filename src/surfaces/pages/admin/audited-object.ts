import type { AuditedObject } from '../../../domain/audit/audited-objects.ts'
import type { AuditRecord } from '../../../domain/audit/read-audit.ts'
import { clientPath, paths } from '../views/admin/admin-page.tsx'
import type { About } from '../views/admin/audit.tsx'
import { RESOURCES } from './school/resources.ts'

/** By the first part of the names of its operations: `courses` of `courses.read`. */
const PATHS = new Map(RESOURCES.map(({ read, path }) => [read.name.split('.')[0] ?? '', path]))

/** What an entry is about: its name, and its page if it has one now. */
export function aboutEntry(
  { action, client, subject, detail }: AuditRecord,
  found: ReadonlyMap<string, AuditedObject>,
): About {
  if (action.startsWith('client.')) {
    return client === undefined || client.isDeleted === true ? {} : { url: clientPath(client.id) }
  }
  if (action.startsWith('key.')) return { url: paths.keys }
  if (action === 'school.changed') return { url: paths.settings }
  if (detail.operation === 'appearance.change') return { url: '/admin/appearance' }
  const object = subject === undefined ? undefined : found.get(subject)
  if (object === undefined) return typeof detail.name === 'string' ? { name: detail.name } : {}
  const path = PATHS.get(object.kind)
  return {
    name: object.name,
    url: path === undefined ? undefined : `/admin/${path}/${subject}`,
  }
}
