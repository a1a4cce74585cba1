import { BarChart, Figures, FillBar, LineChart } from '../../../../foundation/html/chart.tsx'
import { Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { count } from '../../frame/words.ts'
import {
  comparedWith,
  moneyIn,
  number,
  type RevenueSeries,
  type SchoolFigures,
  shortNumber,
  stepInWords,
  stepOnAxis,
  sum,
  unfinishedNote,
} from './figures.ts'
import { daysIn, type Period } from './period.tsx'

interface PanelProps {
  readonly period: Period
  readonly figures: SchoolFigures
}

/** The names of the steps for a chart. */
function namesOf({ period, figures }: PanelProps) {
  const { steps, unfinished } = figures
  return {
    steps: steps.map((step, place) =>
      place === unfinished
        ? `${stepInWords(step, period.interval)}, so far`
        : stepInWords(step, period.interval),
    ),
    axis: steps.map((step) => stepOnAxis(step, period.interval)),
    unfinished,
    note: unfinished === undefined ? undefined : unfinishedNote(period.interval),
  }
}

/** The total that a chart adds up to. */
function Total({ value, note }: { value: string; note: string }) {
  return (
    <p class="total">
      <strong>{value}</strong> <span>{note}</span>
    </p>
  )
}

/** One panel per currency: amounts in two currencies cannot be added. */
export function RevenuePanels(props: PanelProps) {
  const { revenue } = props.figures
  if (revenue.length === 0) {
    return (
      <Panel title="Revenue">
        <Empty>
          <p>There were no payments in this period or in the period before.</p>
        </Empty>
      </Panel>
    )
  }
  return (
    <>
      {revenue.map((series) => (
        <RevenuePanel {...props} series={series} isOnly={revenue.length === 1} />
      ))}
    </>
  )
}

function RevenuePanel(props: PanelProps & { series: RevenueSeries; isOnly: boolean }) {
  const { series, period, isOnly } = props
  const { currency, paid, refunded, payments } = series
  const money = moneyIn(currency)
  const names = namesOf(props)
  const title = isOnly ? 'Revenue' : `Revenue in ${currency}`
  const [allPaid, allRefunded] = [sum(paid), sum(refunded)]
  const net = allPaid - allRefunded
  const isEmpty = allPaid === 0 && allRefunded === 0
  return (
    <Panel title={title}>
      <Total
        value={money.full(net)}
        note={`${isEmpty || allRefunded === 0 ? '' : `after ${money.full(allRefunded)} refunded. `}${comparedWith(net, series.before, daysIn(period))}.`}
      />
      {!isEmpty && (
        <>
          <BarChart
            id={`revenue-${currency.toLowerCase()}`}
            title={title}
            description={`${money.full(allPaid)} paid and ${money.full(allRefunded)} refunded. ${mostOf(paid, names.steps, money.full)}`}
            {...names}
            series={[
              { label: 'Paid', values: paid },
              ...(allRefunded === 0 ? [] : [{ label: 'Refunded', values: refunded }]),
            ]}
            format={money.full}
            formatShort={money.short}
            unit={money.unit}
          />
          <Figures
            caption={title}
            headings={['When', 'Paid', 'Refunded', 'Payments']}
            rows={names.steps.map((name, step) => [
              name,
              money.full(paid[step] ?? 0),
              money.full(refunded[step] ?? 0),
              number(payments[step] ?? 0),
            ])}
          />
        </>
      )}
    </Panel>
  )
}

function mostOf(
  values: readonly number[],
  steps: readonly string[],
  format: (value: number) => string,
): string {
  const most = Math.max(...values)
  return `The most was ${format(most)}: ${steps[values.indexOf(most)]}.`
}

export function EnrollmentPanel(props: PanelProps) {
  const { period, figures } = props
  const names = namesOf(props)
  const all = figures.enrollments.map((step) => step.enrollment_count)
  const ways = [
    [sum(figures.enrollments.map((step) => step.purchase_count)), 'bought'],
    [sum(figures.enrollments.map((step) => step.plan_count)), 'by plan'],
    [sum(figures.enrollments.map((step) => step.grant_count)), 'granted'],
  ] as const
  const told = ways
    .filter(([many]) => many > 0)
    .map(([many, way]) => `${number(many)} ${way}`)
    .join(', ')
  return (
    <Panel title="New enrollments">
      <Total
        value={number(sum(all))}
        note={`${told === '' ? '' : `${told}. `}${comparedWith(sum(all), figures.enrollmentsBefore, daysIn(period))}.`}
      />
      {sum(all) > 0 && (
        <>
          <BarChart
            id="enrollments"
            title="New enrollments"
            description={`${number(sum(all))} in all. ${mostOf(all, names.steps, number)}`}
            {...names}
            series={[{ label: 'Enrollments', values: all }]}
            format={number}
            formatShort={shortNumber}
          />
          <Figures
            caption="New enrollments"
            headings={['When', 'All', 'Bought', 'By plan', 'Granted']}
            rows={figures.enrollments.map((step, place) => [
              names.steps[place] ?? '',
              number(step.enrollment_count),
              number(step.purchase_count),
              number(step.plan_count),
              number(step.grant_count),
            ])}
          />
        </>
      )}
    </Panel>
  )
}

export function LearnerPanel(props: PanelProps) {
  const { period, figures } = props
  const names = namesOf(props)
  const { learners } = figures
  const most = Math.max(0, ...learners)
  return (
    <Panel title="Active learners">
      <Total
        value={number(most)}
        note={`at most in one ${period.interval}. ${comparedWith(most, figures.learnersBefore, daysIn(period))}.`}
      />
      {most > 0 && (
        <>
          <LineChart
            id="learners"
            title="Active learners"
            description={`Different students who learned in each ${period.interval}. ${mostOf(learners, names.steps, number)}`}
            {...names}
            series={{ label: 'Learners', values: learners }}
            format={number}
            formatShort={shortNumber}
          />
          <Figures
            caption="Active learners"
            headings={['When', 'Learners']}
            rows={names.steps.map((name, step) => [name, number(learners[step] ?? 0)])}
          />
        </>
      )}
    </Panel>
  )
}

export function CompletionPanel({ figures }: { figures: SchoolFigures }) {
  const { completion } = figures
  return (
    <Panel
      title="Completion"
      lead="The progress of each course’s students today, independent of the period."
    >
      {completion.length === 0 ? (
        <Empty>
          <p>No course has students yet.</p>
        </Empty>
      ) : (
        <ul class="completion">
          {completion.map((course) => (
            <li>
              <p class="completion-title">
                <Name text={course.title} fallback="Untitled course" />
                <span>{number(course.average_percent)}%</span>
              </p>
              <FillBar percent={course.average_percent} />
              <p class="row-note">
                {count(course.student_count, 'student', 'students')},{' '}
                {number(course.completed_count)} with every lecture completed
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

export const RECOUNT_PATH = `${adminPaths.analytics}/recount`

/** For an operator who sees a figure that is wrong. */
export function RecountPanel({ formToken }: { formToken: string }) {
  return (
    <Panel title="A figure looks wrong?">
      <p>
        The server keeps these figures up to date by itself. If rows were changed directly in the
        database, they can be counted anew. The figures stay visible meanwhile.
      </p>
      <Form class="actions" action={RECOUNT_PATH} formToken={formToken}>
        <Button look="quiet">Count the figures anew</Button>
      </Form>
    </Panel>
  )
}
