import type { FastifyInstance } from 'fastify'
import { recountAnalytics } from '../../../../domain/analytics/recount.ts'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { redirectTo, sendPage } from '../../page-request.ts'
import { queryOf } from '../../site-frame.ts'
import { paths } from '../../views/admin/admin-page.tsx'
import { analyticsPage } from '../../views/admin/analytics/analytics.tsx'
import { RECOUNT_PATH } from '../../views/admin/analytics/recount-panel.tsx'
import { JOBS_PATH } from '../school/routes/job-routes.ts'
import { enter } from '../school/routes/visit.ts'
import { readFigures } from './figures.ts'
import { dayAt, readPeriod } from './period.ts'

const NOT_STARTED = 'The count could not be started. Open the page again and try once more.'

/** Figures and charts of the school. The server draws the charts. */
export function addAnalyticsRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.analytics, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const [now, { timeZone }] = [new Date(), visit.place]
    const asked = readPeriod(queryOf(request), now, timeZone)
    const figures = await readFigures(visit.perform, asked.period, dayAt(now, timeZone))
    const isRefused = 'kind' in figures
    const page = analyticsPage({
      ...visit.frame(),
      asked,
      problems: isRefused ? figures.problems : [],
      figures: isRefused ? undefined : figures,
    })
    return sendPage(reply, request, 'site', page, isRefused ? 422 : 200)
  })

  app.post(RECOUNT_PATH, async (request, reply) => {
    const visit = await enter(context, request, reply)
    visit.form()
    const outcome = await visit.perform(recountAnalytics, {})
    if (outcome.kind === 'done') {
      return redirectTo(reply, request, 'site', `${JOBS_PATH}/${outcome.output.id}?done=started`)
    }
    throw new RequestRefusedError(409, outcome.kind === 'conflict' ? outcome.detail : NOT_STARTED)
  })
}
