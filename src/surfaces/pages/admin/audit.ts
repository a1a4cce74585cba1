import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AUDIT_ACTIONS } from '../../../domain/audit/audit.ts'
import { findAudited } from '../../../domain/audit/audited-objects.ts'
import { type AuditFilter, readAudit } from '../../../domain/audit/read-audit.ts'
import { inLane } from '../../../foundation/db/school-db.ts'
import { pageHeaders } from '../../../foundation/http/security-headers.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { queryOf, withoutNul } from '../site-frame.ts'
import { requireRecentProof } from '../step-up/recent-proof.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { type AuditSearch, auditAddress, auditPage, EXPORT_PATH } from '../views/admin/audit.tsx'
import { auditFile, FILE_TYPES, isFileType } from './audit-file.ts'
import { aboutEntry } from './audited-object.ts'
import { adminFrame, loadOperator } from './operator.ts'
import { fromLocalTime } from './school/form/local-time.ts'

const ENTRIES_SHOWN = 50

/** The audit log of the school, read-only. */
export function addAuditRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.audit, async (request, reply) => {
    const operator = await loadOperator(request)
    const query = queryOf(request)
    const search = readSearch(query, request.school.timeZone)
    const before = query.get('before') ?? ''
    const { entries, next } = await readAudit(request.at, search.filter, {
      before: isUuid(before) ? before : undefined,
      limit: ENTRIES_SHOWN,
    })
    const found = await findAudited(request.at, entries)
    const page = auditPage({
      ...adminFrame(context, request, reply, operator),
      search,
      entries,
      aboutEntry: (entry) => aboutEntry(entry, found),
      next,
      isFirst: !isUuid(before),
    })
    return sendPage(reply, request, 'site', page)
  })

  app.get(EXPORT_PATH, sendExport)
}

/** The entries of a search as a file. It is sent while it is read, so its length does not matter. */
async function sendExport(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const operator = await loadOperator(request)
  const query = queryOf(request)
  const asked = query.get('format') ?? ''
  const type = isFileType(asked) ? asked : 'csv'
  const search = readSearch(query, request.school.timeZone)
  // It has names and emails of people, like every export.
  requireRecentProof(request, operator, auditAddress(search))
  const file = auditFile(inLane(request.at, 'batch'), search.filter, type)
  // The first page is read before the answer starts, while its status can still be changed.
  const first = await file.next()
  return reply
    .headers(pageHeaders(request.school.origin, 'site'))
    .header('content-type', FILE_TYPES[type])
    .header('content-disposition', `attachment; filename="audit.${type}"`)
    .send(Readable.from(after(first, file)))
}

async function* after(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, void>,
): AsyncGenerator<string, void, void> {
  if (first.done !== true) yield first.value
  yield* rest
}

function readSearch(query: URLSearchParams, timeZone: string): AuditSearch {
  const action = query.get('action') ?? ''
  const outcome = query.get('outcome') ?? ''
  const [from, to] = [dayIn(query, 'from'), dayIn(query, 'to')]
  const filter: AuditFilter = {
    action: AUDIT_ACTIONS.find((known) => known === action),
    outcome: outcome === 'ok' || outcome === 'refused' ? outcome : undefined,
    actorEmail: textOf(query, 'person'),
    clientId: textOf(query, 'app'),
    from: from === undefined ? undefined : startOf(from, 0, timeZone),
    until: to === undefined ? undefined : startOf(to, 1, timeZone),
  }
  return { filter, from, to }
}

/** A day that the calendar has; other text counts as none. */
function dayIn(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? ''
  return fromLocalTime(`${text}T00:00`, 'UTC') === undefined ? undefined : text
}

/** When a day begins at the school, or the day that is so many days later. */
function startOf(day: string, later: number, timeZone: string): Date | undefined {
  const asked = new Date(Date.parse(day) + later * 86_400_000).toISOString().slice(0, 10)
  return fromLocalTime(`${asked}T00:00`, timeZone)
}

function textOf(query: URLSearchParams, name: string): string | undefined {
  return (
    withoutNul(query.get(name) ?? '')
      .trim()
      .slice(0, 2000) || undefined
  )
}
