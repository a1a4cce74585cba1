import type { FastifyInstance } from 'fastify'
import {
  countConnectedPeople,
  readSchoolTotals,
  type SchoolTotals,
} from '../../../domain/analytics/school-totals.ts'
import { listClients } from '../../../domain/clients/list-clients.ts'
import { signsIdTokens } from '../../../domain/schools/signing.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { type Figure, overviewPage } from '../views/admin/overview.tsx'
import { enter } from './school/routes/visit.ts'

export function addOverviewRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.overview, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const [clients, people, totals] = await Promise.all([
      listClients(request.at),
      countConnectedPeople(request.at),
      readSchoolTotals(request.at),
    ])
    const page = overviewPage({
      ...visit.frame(),
      figures: figuresOf(totals),
      people,
      applications: clients.filter(({ kind, builtIn }) => kind === 'application' && !builtIn)
        .length,
      awaitingReview: clients.filter(({ kind, reviewed }) => kind === 'document' && !reviewed)
        .length,
      signsIdTokens: signsIdTokens(request.school),
      origin: request.school.origin,
    })
    return sendPage(reply, request, 'site', page)
  })
}

function figuresOf(totals: SchoolTotals): readonly Figure[] {
  return [
    { label: 'Students', href: '/admin/students', value: totals.students },
    {
      label: 'Published courses',
      href: '/admin/courses?state=published',
      value: totals.publishedCourses,
    },
    {
      label: 'Active subscriptions',
      href: '/admin/subscriptions?state=active',
      value: totals.activeSubscriptions,
    },
    {
      label: 'Upcoming events',
      href: '/admin/events?sort=-starts_at',
      value: totals.upcomingEvents,
    },
  ]
}
