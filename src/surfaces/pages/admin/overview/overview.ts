import type { FastifyInstance } from 'fastify'
import {
  readFirstSteps,
  readSchoolTotals,
  readWaiting,
} from '../../../../domain/analytics/school-totals.ts'
import { listPayments } from '../../../../domain/commerce/payment-operations.ts'
import { findMeans } from '../../../../domain/people/factors/demand.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { sendPage } from '../../page-request.ts'
import { paths } from '../../views/admin/admin-page.tsx'
import { overviewPage } from '../../views/admin/overview/overview.tsx'
import { REFUNDS_SHOWN } from '../../views/admin/overview/waiting.tsx'
import { lateSince } from '../analytics/figures.ts'
import { dayAt, periodBefore, readPeriod } from '../analytics/period.ts'
import { fromLocalTime, toLocalTime } from '../school/form/local-time.ts'
import { enter, type Visit } from '../school/routes/visit.ts'
import { stepsOf } from './first-steps.ts'
import { trendsOf } from './trends.ts'

const COMMENT_DAYS = 7

/** The first page of the admin area: how the school goes, and what to do. */
export function addOverviewRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.overview, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const { period } = readPeriod(new URLSearchParams(), new Date(), visit.place.timeZone)
    const before = periodBefore(period)
    const comments = commentsSince(visit.place.timeZone)
    const [totals, waiting, found, means] = await Promise.all([
      readSchoolTotals(request.at, { from: before.from, to: period.to }),
      readWaiting(request.at, comments.moment),
      readFirstSteps(request.at),
      findMeans(request.at, visit.operator.person.id),
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
        isOwner: visit.operator.roles.includes('owner'),
        sendsMail: context.mailer !== undefined,
      }),
      origin: request.school.origin,
    })
    return sendPage(reply, request, 'site', page)
  })
}

/** The beginning of a day, as the link to the comments says it and as a moment. */
function commentsSince(timeZone: string): { typed: string; moment: Date } {
  const now = new Date()
  now.setUTCDate(now.getUTCDate() - COMMENT_DAYS)
  const typed = `${dayAt(now, timeZone)}T00:00`
  return { typed, moment: fromLocalTime(typed, timeZone) ?? now }
}

async function oldestRefunds({ ask }: Visit) {
  const { data } = await ask(listPayments, {
    refunding_state: 'requested',
    sort: 'created_at',
    limit: REFUNDS_SHOWN,
    expand: ['member'],
  })
  return data
}
