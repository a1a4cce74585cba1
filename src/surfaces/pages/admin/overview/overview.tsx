import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import {
  readFirstSteps,
  readSchoolTotals,
  readWaiting,
  type SchoolTotals,
  type Waiting,
} from '../../../../domain/analytics/school-totals.ts'
import { listPayments } from '../../../../domain/commerce/payment-operations.ts'
import { MOST_SHOWN } from '../../../../domain/operation/list-page.ts'
import { findMeans } from '../../../../domain/people/factors/demand.ts'
import { Address } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths } from '../../frame/paths.ts'
import { upTo } from '../../frame/words.ts'
import { comparedWith, lateSince, moneyIn, number } from '../analytics/figures.ts'
import { dayAt, periodBefore, readPeriod } from '../analytics/period.tsx'
import { fromLocalTime, toLocalTime } from '../crud/read-form.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { FirstStepsPanel, type Step, stepsOf } from './first-steps.tsx'
import {
  REFUNDS_SHOWN,
  type Trend,
  type Trends,
  trendsOf,
  WaitingPanel,
  type WaitingRefund,
} from './waiting.tsx'

const COMMENT_DAYS = 7

/** The first page of the admin area: how the school goes, and what to do. */
export function addOverviewRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.overview, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const { period } = readPeriod(new URLSearchParams(), new Date(), visit.place.timeZone)
    const before = periodBefore(period)
    const comments = commentsSince(visit.place.timeZone)
    const [totals, waiting, found, means] = await Promise.all([
      readSchoolTotals(request.schoolDb, { from: before.from, to: period.to }),
      readWaiting(request.schoolDb, comments.moment),
      readFirstSteps(request.schoolDb),
      findMeans(request.schoolDb, visit.session.person.id),
    ])
    const page = overviewPage({
      ...visit.frame(),
      currency: visit.place.currency,
      totals,
      trends: trendsOf(totals, period),
      lateSince: lateSince(totals.countedAt),
      waiting,
      commentsSince: comments.typed,
      eventsFrom: toLocalTime(new Date(), visit.place.timeZone),
      refunds: waiting.refundRequests === 0 ? [] : await oldestRefunds(visit),
      steps: stepsOf(request.school, {
        totals,
        found,
        means,
        isOwner: visit.session.roles.includes('owner'),
        sendsMail: context.mailer !== undefined,
      }),
      origin: request.school.origin,
    })
    return visit.page(page)
  })
}

/** The beginning of a day, as the link to the comments says it and as a moment. */
function commentsSince(timeZone: string): { typed: string; moment: Date } {
  const now = new Date()
  now.setUTCDate(now.getUTCDate() - COMMENT_DAYS)
  const typed = `${dayAt(now, timeZone)}T00:00`
  return { typed, moment: fromLocalTime(typed, timeZone) ?? now }
}

async function oldestRefunds({ ask }: OperatorVisit) {
  const { data } = await ask(listPayments, {
    refunding_state: 'requested',
    sort: 'created_at',
    limit: REFUNDS_SHOWN,
    expand: ['member'],
  })
  return data
}

interface OverviewProps extends AdminFrame {
  origin: string
  /** Of the school, for a revenue of nothing. */
  currency: string
  totals: SchoolTotals
  trends: Trends
  /** If what was written after this time is not counted yet; null during the first count. */
  lateSince: Date | null | undefined
  waiting: Waiting
  /** As the list of comments takes it. */
  commentsSince: string
  /** This minute, as the list of events takes it. */
  eventsFrom: string
  /** The oldest requests. */
  refunds: readonly WaitingRefund[]
  steps: readonly Step[]
}

/** How the school goes, what is waiting, and what is left to set up. */
export function overviewPage(props: OverviewProps): string {
  const { totals, steps } = props
  return adminPage({
    ...props,
    title: 'Overview',
    children: (
      <>
        <PageHead
          title={plainText(props.school.name) || 'Overview'}
          lead={<Address text={props.origin} />}
        >
          <div class="actions">
            <ButtonLink look="plain" href="/admin/courses/new">
              New course
            </ButtonLink>
            <ButtonLink look="primary" href="/admin/students/new">
              Add a student
            </ButtonLink>
          </div>
        </PageHead>
        <LastDays {...props} />
        <ul class="figures" aria-label="Now">
          <Figure label="Students" href="/admin/students" value={number(totals.students)} />
          <Figure
            label="Published courses"
            href="/admin/courses?state=published"
            value={upTo(MOST_SHOWN, totals.publishedCourses)}
          />
          <Figure
            label="Active subscriptions"
            href="/admin/subscriptions?state=active"
            value={number(totals.activeSubscriptions)}
          />
          <Figure
            label="Upcoming events"
            href={upcomingEvents(props.eventsFrom)}
            value={upTo(MOST_SHOWN, totals.upcomingEvents)}
          />
        </ul>
        <WaitingPanel {...props} />
        {steps.some(({ isDone }) => !isDone) && <FirstStepsPanel steps={steps} />}
      </>
    ),
  })
}

/** The list with the events that the figure counts, the next one first. */
function upcomingEvents(from: string): string {
  return `/admin/events?${new URLSearchParams({ state: 'published', starts_after: from, sort: 'starts_at' })}`
}

/** Money and learners, beside the same number of days before. */
function LastDays({ trends, lateSince, timeZone, currency }: OverviewProps) {
  const { days, revenue, enrollments, learners } = trends
  const shown = revenue.length > 0 ? revenue : [{ currency, value: 0, before: 0 }]
  return (
    <section class="trends" aria-labelledby="last-days">
      <h2 id="last-days" class="trends-title">{`Last ${days} days`}</h2>
      <ul class="figures">
        {shown.map(({ currency: paidIn, ...trend }) => (
          <TrendFigure
            label={shown.length > 1 ? `Revenue in ${paidIn}` : 'Revenue'}
            value={moneyIn(paidIn).full(trend.value)}
            {...{ trend, days }}
          />
        ))}
        <TrendFigure
          label="New enrollments"
          value={number(enrollments.value)}
          trend={enrollments}
          days={days}
        />
        <TrendFigure
          label="Learners a day"
          value={average(learners.value)}
          trend={learners}
          days={days}
        />
      </ul>
      {lateSince !== undefined && (
        <p class="row-note">
          {lateSince === null ? (
            'Your school is being counted for the first time. Look again in some minutes.'
          ) : (
            <>
              What happened since <Moment at={lateSince} timeZone={timeZone} /> is still being
              counted.
            </>
          )}
        </p>
      )}
    </section>
  )
}

function TrendFigure(props: { label: string; value: string; trend: Trend; days: number }) {
  const { trend, days } = props
  const direction = Math.sign(trend.value - trend.before)
  return (
    <Figure label={props.label} href={adminPaths.analytics} value={props.value}>
      <span class={TREND_LOOKS.get(direction) ?? 'trend'}>
        {comparedWith(trend.value, trend.before, days)}
      </span>
    </Figure>
  )
}

/** The words say the direction; a triangle before them makes it seen at a glance. */
const TREND_LOOKS = new Map([
  [1, 'trend trend-up'],
  [-1, 'trend trend-down'],
])

const inTenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** With a decimal only where it says something. */
function average(value: number): string {
  return value < 10 ? inTenths.format(value) : number(Math.round(value))
}

/** A number with a link to its list. */
function Figure(props: {
  label: string
  href: string
  value: string
  children?: ComponentChildren
}) {
  return (
    <li>
      <a href={props.href}>
        <span class="figure">{props.value}</span> {props.label}
        {props.children}
      </a>
    </li>
  )
}
