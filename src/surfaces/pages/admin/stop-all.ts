import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countConnectedPeople } from '../../../domain/analytics/school-totals.ts'
import { endAllAccess } from '../../../domain/clients/end-all-access.ts'
import { peoplePerApp } from '../../../domain/grants/people-of-app.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { stopAllPage } from '../views/admin/stop-all.tsx'
import { isNameTyped } from '../views/confirm-name.tsx'
import { adminFrame, loadOperator, performAs } from './operator.ts'

/** Ends the access of all apps and assistants of the school, after its name was typed. */
export function addStopAllRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.stopAll, async (request, reply) => {
    const operator = await loadOperator(request)
    return await show(context, request, reply, operator)
  })

  app.post(paths.stopAll, async (request, reply) => {
    const operator = await loadOperator(request, paths.stopAll)
    const form = checkedForm(context.keyring, request, operator)
    if (!isNameTyped(form, request.school.name)) {
      return await show(context, request, reply, operator, 422)
    }
    await performAs(request, operator, endAllAccess, {})
    return redirectTo(reply, request, 'site', `${paths.clients}?done=all-stopped`)
  })
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  status = 200,
): Promise<FastifyReply> {
  const [apps, people] = await Promise.all([
    peoplePerApp(request.at),
    countConnectedPeople(request.at),
  ])
  const page = stopAllPage({
    ...adminFrame(context, request, reply, operator),
    apps: apps.size,
    people,
    isWrongName: status !== 200,
  })
  return sendPage(reply, request, 'site', page, status)
}
