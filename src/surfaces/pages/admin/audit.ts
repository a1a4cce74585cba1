import type { FastifyInstance } from 'fastify'
import { AUDIT_ACTIONS } from '../../../domain/audit/audit.ts'
import { type AuditFilter, readAudit } from '../../../domain/audit/read-audit.ts'
import { isUuid } from '../../../foundation/protocol/uuid.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { queryOf, withoutNul } from '../site-frame.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { auditPage } from '../views/admin/audit.tsx'
import { adminFrame, loadOperator } from './operator.ts'

const ENTRIES_SHOWN = 50

/** The audit log of the school, read-only. */
export function addAuditRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.audit, async (request, reply) => {
    const operator = await loadOperator(request)
    const query = queryOf(request)
    const filter = readFilter(query)
    const before = query.get('before') ?? ''
    const { entries, next } = await readAudit(request.at, filter, {
      before: isUuid(before) ? before : undefined,
      limit: ENTRIES_SHOWN,
    })
    const page = auditPage({
      ...adminFrame(context, request, reply, operator),
      filter,
      entries,
      next,
      isFirst: !isUuid(before),
    })
    return sendPage(reply, request, 'site', page)
  })
}

function readFilter(query: URLSearchParams): AuditFilter {
  const action = query.get('action') ?? ''
  const outcome = query.get('outcome') ?? ''
  return {
    action: AUDIT_ACTIONS.find((known) => known === action),
    outcome: outcome === 'ok' || outcome === 'refused' ? outcome : undefined,
    actorEmail: textOf(query, 'person'),
    clientId: textOf(query, 'app'),
  }
}

function textOf(query: URLSearchParams, name: string): string | undefined {
  return (
    withoutNul(query.get(name) ?? '')
      .trim()
      .slice(0, 2000) || undefined
  )
}
