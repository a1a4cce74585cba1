import type { InputProblem } from '../../../../../domain/operation/refusal.ts'
import { Alert } from '../../../../../foundation/html/components.tsx'
import { Moment } from '../../../../../foundation/html/moment.tsx'
import { PageHead } from '../../../../../foundation/html/site-components.tsx'
import type { SchoolFigures } from '../../../admin/analytics/figures.ts'
import type { AskedPeriod } from '../../../admin/analytics/period.ts'
import { type AdminFrame, adminPage } from '../admin-page.tsx'
import { CompletionPanel, EnrollmentPanel, LearnerPanel, RevenuePanels } from './chart-panels.tsx'
import { dayInWords } from './figure-words.ts'
import { PeriodChooser } from './period-chooser.tsx'
import { RecountPanel } from './recount-panel.tsx'

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
