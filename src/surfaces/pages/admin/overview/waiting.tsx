import type { SchoolTotals, Waiting } from '../../../../domain/analytics/school-totals.ts'
import { DUE_SOON_DAYS } from '../../../../domain/commerce/payments-of-member.ts'
import { Name } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { ButtonLink, Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { adminPaths } from '../../frame/paths.ts'
import { countUpTo, formatMoney } from '../../frame/words.ts'
import { type RevenueSeries, sum } from '../analytics/figures.ts'
import { daysIn, type Period } from '../analytics/period.tsx'

/** A payment whose member asks for the money back. */
export interface WaitingRefund {
  readonly id: string
  readonly amount: number
  readonly refunded_amount: number
  readonly currency: string
  readonly refund_requested_at: string | null
  readonly member?: { readonly name: string; readonly email: string } | null | undefined
}

interface WaitingProps {
  waiting: Waiting
  refunds: readonly WaitingRefund[]
  commentsSince: string
  timeZone: string
}

/** How many requests can be answered on the overview itself. */
export const REFUNDS_SHOWN = 5

export function WaitingPanel(props: WaitingProps) {
  const { refunds, timeZone } = props
  const lines = linesOf(props).filter(({ count }) => count > 0)
  return (
    <Panel title="What is waiting">
      {lines.length === 0 && (
        <Empty>
          <p>Nothing is waiting for you.</p>
        </Empty>
      )}
      {lines.length > 0 && (
        <ul class="rows">
          {refunds.map((payment) => (
            <RefundRow payment={payment} timeZone={timeZone} />
          ))}
          {lines.map(({ href, label, note }) => (
            <li>
              <div>
                <p class="row-title">
                  <a href={href}>{label}</a>
                </p>
                <p class="row-note">{note}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function RefundRow({ payment, timeZone }: { payment: WaitingRefund; timeZone: string }) {
  const { id, member, currency, refund_requested_at: asked } = payment
  const amount = formatMoney(payment.amount - payment.refunded_amount, currency)
  const name = plainText(member?.name ?? '') || member?.email || 'A former member'
  const page = `/admin/payments/${id}`
  return (
    <li>
      <div>
        <p class="row-title">
          <a href={page}>
            <Name text={name} fallback="A member" />
          </a>{' '}
          asks for {amount} back
        </p>
        {asked !== null && (
          <p class="row-note">
            Since <Moment at={new Date(asked)} timeZone={timeZone} />
          </p>
        )}
      </div>
      <div class="actions">
        <ButtonLink look="plain" href={`${page}/approve-refund`}>
          Approve<span class="visually-hidden"> the refund of {name}</span>
        </ButtonLink>
        <ButtonLink look="plain" href={`${page}/refuse-refund`}>
          Refuse<span class="visually-hidden"> the refund of {name}</span>
        </ButtonLink>
      </div>
    </li>
  )
}

interface Line {
  readonly count: number
  readonly label: string
  readonly note: string
  readonly href: string
}

function linesOf({ waiting, commentsSince }: WaitingProps): readonly Line[] {
  const { refundRequests, paymentsDue, newComments, appsToReview, failedJobs } = waiting
  return [
    {
      count: refundRequests,
      label: countUpTo(refundRequests, 'refund request', 'refund requests'),
      note: 'The whole list, with those above.',
      href: '/admin/payments?refunding_state=requested',
    },
    {
      count: paymentsDue,
      label: countUpTo(paymentsDue, 'unpaid code expires soon', 'unpaid codes expire soon'),
      note: `Members have ${DUE_SOON_DAYS} days or less to pay. Then the code no longer works.`,
      href: '/admin/payments?due=soon',
    },
    {
      count: appsToReview,
      label: countUpTo(appsToReview, 'app to review', 'apps to review'),
      note: 'Until you review it, an app can read but not change anything.',
      href: `${adminPaths.clients}#review`,
    },
    {
      count: newComments,
      label: countUpTo(newComments, 'new comment', 'new comments'),
      note: 'Written under lectures in the last 7 days.',
      href: `/admin/comments?hidden=false&created_after=${encodeURIComponent(commentsSince)}`,
    },
    {
      count: failedJobs,
      label: countUpTo(failedJobs, 'job failed', 'jobs failed'),
      note: 'Each says why, and what to do.',
      href: '/admin/jobs?state=failed',
    },
  ]
}

/** A figure of a period, beside that of the same number of days before. */
export interface Trend {
  readonly value: number
  readonly before: number
}

export interface Trends {
  readonly days: number
  /** By currency, refunds taken off. */
  readonly revenue: readonly (Trend & Pick<RevenueSeries, 'currency'>)[]
  readonly enrollments: Trend
  /** Different students on an average day. */
  readonly learners: Trend
}

/** `totals` has the days of the period and of the one before. */
export function trendsOf(totals: SchoolTotals, period: Period): Trends {
  const days = daysIn(period)
  const trend = <Point extends { readonly starts_on: string }>(
    points: readonly Point[],
    of: (point: Point) => number,
  ): Trend => ({
    value: sum(points.filter(({ starts_on }) => starts_on >= period.from).map(of)),
    before: sum(points.filter(({ starts_on }) => starts_on < period.from).map(of)),
  })
  const currencies = [...new Set(totals.revenue.map(({ currency }) => currency))].sort()
  const learnt = trend(totals.learners, ({ learner_count }) => learner_count)
  return {
    days,
    revenue: currencies.map((currency) => ({
      currency,
      ...trend(
        totals.revenue.filter((point) => point.currency === currency),
        ({ paid_amount, refunded_amount }) => paid_amount - refunded_amount,
      ),
    })),
    enrollments: trend(totals.enrollments, ({ enrollment_count }) => enrollment_count),
    learners: { value: learnt.value / days, before: learnt.before / days },
  }
}
