import type { FastifyInstance } from 'fastify'
import { readHistory } from '../../../domain/audit/read-audit.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { sendPage } from '../page-request.ts'
import { frameFor, queryOf } from '../site-frame.ts'
import { HISTORY_PATH, historyPage } from '../views/history.tsx'

const SHOWN = 50

/** What the person allowed, ended and changed at this school. */
export function addHistoryRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(HISTORY_PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const asked = queryOf(request).get('before') ?? ''
    const before = isUuid(asked) ? asked : undefined
    const page = historyPage({
      ...frameFor(context, request, reply, session),
      ...(await readHistory(request.at, session.person.id, { before, limit: SHOWN })),
      isFirst: before === undefined,
      timeZone: request.school.timeZone,
    })
    return sendPage(reply, request, 'site', page)
  })
}
