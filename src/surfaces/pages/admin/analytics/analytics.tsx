import type { FastifyInstance } from 'fastify'
import { recountAnalytics } from '../../../../domain/analytics/recount.ts'
import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import { Alert } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { JOBS_PATH } from '../crud/transfers.tsx'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { operatorVisit } from '../frame/operator.ts'
import {
  CompletionPanel,
  EnrollmentPanel,
  LearnerPanel,
  RECOUNT_PATH,
  RecountPanel,
  RevenuePanels,
} from './chart-panels.tsx'
import { dayInWords, readFigures, type SchoolFigures } from './figures.ts'
import { type AskedPeriod, dayAt, PeriodChooser, readPeriod } from './period.tsx'

const NOT_STARTED = 'The count could not be started. Open the page again and try once more.'

/** Figures and charts of the school. The server draws the charts. */
export function addAnalyticsRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.analytics, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
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
    return visit.page(page, isRefused ? 422 : 200)
  })

  app.post(RECOUNT_PATH, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    visit.form()
    const outcome = await visit.perform(recountAnalytics, {})
    if (outcome.kind === 'done') {
      return visit.goTo(`${JOBS_PATH}/${outcome.output.id}?done=started`)
    }
    throw new RequestRefusedError(409, outcome.kind === 'conflict' ? outcome.detail : NOT_STARTED)
  })
}

interface AnalyticsProps extends AdminFrame {
  readonly asked: AskedPeriod
  /** What is wrong with the chosen period; then there are no figures. */
  readonly problems: readonly InputProblem[]
  readonly figures: SchoolFigures | undefined
}

export function analyticsPage(props: AnalyticsProps): string {
  const { asked, problems, figures, timeZone } = props
  const { period } = asked
  return adminPage({
    ...props,
    stylesheets: ['charts.css'],
    title: figures === undefined ? 'Error: Analytics' : 'Analytics',
    children: (
      <>
        <PageHead
          title="Analytics"
          lead={
            figures && `${dayInWords(period.from)} to ${dayInWords(period.to)}, ${timeZone} time.`
          }
        />
        <PeriodChooser asked={asked} problems={problems} />
        {figures === undefined ? (
          <Alert tone="error" title="There is nothing to show for these days">
            <p>Correct the marked days, or choose one of the periods above.</p>
          </Alert>
        ) : (
          <>
            {figures.lateSince !== undefined && (
              <Alert tone="warning" title="Not everything is counted yet">
                {figures.lateSince === null ? (
                  <p>
                    Your school is being counted for the first time. Look again in some minutes.
                  </p>
                ) : (
                  <p>
                    What happened since <Moment at={figures.lateSince} timeZone={timeZone} /> is
                    still being counted.
                  </p>
                )}
              </Alert>
            )}
            <RevenuePanels period={period} figures={figures} />
            <EnrollmentPanel period={period} figures={figures} />
            <LearnerPanel period={period} figures={figures} />
            <CompletionPanel figures={figures} />
            <RecountPanel formToken={props.viewer?.formToken ?? ''} />
          </>
        )}
      </>
    ),
  })
}
