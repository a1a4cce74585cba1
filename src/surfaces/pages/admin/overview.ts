import type { FastifyInstance } from 'fastify'
import { listClients } from '../../../domain/clients/list-clients.ts'
import { countConnectedPeople } from '../../../domain/grants/people-of-app.ts'
import { signsIdTokens } from '../../../domain/schools/signing.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { overviewPage } from '../views/admin/overview.tsx'
import { adminFrame, loadOperator } from './operator.ts'

export function addOverviewRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.overview, async (request, reply) => {
    const operator = await loadOperator(request)
    const [clients, people] = await Promise.all([
      listClients(request.at),
      countConnectedPeople(request.at),
    ])
    const page = overviewPage({
      ...adminFrame(context, request, reply, operator),
      people,
      applications: clients.filter(({ kind }) => kind === 'application').length,
      awaitingReview: clients.filter(({ kind, reviewed }) => kind === 'document' && !reviewed)
        .length,
      signsIdTokens: signsIdTokens(request.school),
      origin: request.school.origin,
    })
    return sendPage(reply, request, 'site', page)
  })
}
