import type { FastifyInstance, FastifyRequest } from 'fastify'
import { daysToFactor, demandFactor, findMeans } from '../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { DEMAND_PATH, type FactorDemandProps } from '../views/admin/factor-demand.tsx'
import { loadOperator, performAs } from './operator.ts'

/** What the settings page shows about it. */
export async function demandOf(
  request: FastifyRequest,
  operator: BrowserSession,
): Promise<FactorDemandProps> {
  const from = request.school.operatorFactorFrom
  const isOwner = operator.roles.includes('owner')
  const { hasSecondFactor, hasPasskey } = await findMeans(request.at, operator.person.id)
  // The days are told to everyone, also to those who could go on.
  const daysLeft = daysToFactor(request.school, { ...operator, methods: [] })
  return { from, daysLeft, isOwner, hasMeans: hasSecondFactor || hasPasskey }
}

export function addFactorDemandRoutes(app: FastifyInstance, context: AppContext): void {
  app.post(DEMAND_PATH, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const outcome = await performAs(request, operator, demandFactor, {
      demanded: form.get('demanded') === 'yes',
      grace_days: Number(form.get('grace_days') ?? 0),
    })
    context.directory.forget(request.school.id)
    const done = outcome.kind === 'done' ? 'saved' : 'demand-refused'
    return redirectTo(reply, request, 'site', `${paths.settings}?done=${done}`)
  })
}
