import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../../../gate/context.ts'
import { sendPage } from '../../page-request.ts'
import { queryOf } from '../../site-frame.ts'
import { paths } from '../../views/admin/admin-page.tsx'
import { analyticsPage } from '../../views/admin/analytics/analytics.tsx'
import { enter } from '../school/routes/visit.ts'
import { readFigures } from './figures.ts'
import { readPeriod } from './period.ts'

/** Figures and charts of the school, read-only. The server draws the charts. */
export function addAnalyticsRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.analytics, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const asked = readPeriod(queryOf(request), new Date(), visit.place.timeZone)
    const figures = await readFigures(visit.perform, asked.period)
    const isRefused = 'kind' in figures
    const page = analyticsPage({
      ...visit.frame(),
      asked,
      problems: isRefused ? figures.problems : [],
      figures: isRefused ? undefined : figures,
    })
    return sendPage(reply, request, 'site', page, isRefused ? 422 : 200)
  })
}
