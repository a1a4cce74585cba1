import type { FastifyInstance } from 'fastify'
import { listClients } from '../../../domain/clients/list-clients.ts'
import { listSubscriptions } from '../../../domain/commerce/subscription-operations.ts'
import { listEvents } from '../../../domain/events/event-operations.ts'
import { countConnectedPeople } from '../../../domain/grants/people-of-app.ts'
import { listCourses } from '../../../domain/learning/course-operations.ts'
import type { ReadOperation } from '../../../domain/operation.ts'
import { listStudents } from '../../../domain/people/student-operations.ts'
import { signsIdTokens } from '../../../domain/schools/signing.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { type Figure, overviewPage } from '../views/admin/overview.tsx'
import { enter, type Visit } from './school/routes/visit.ts'

export function addOverviewRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.overview, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const [clients, people, figures] = await Promise.all([
      listClients(request.at),
      countConnectedPeople(request.at),
      readFigures(visit),
    ])
    const page = overviewPage({
      ...visit.frame(),
      figures,
      people,
      applications: clients.filter(({ kind }) => kind === 'application').length,
      awaitingReview: clients.filter(({ kind, reviewed }) => kind === 'document' && !reviewed)
        .length,
      signsIdTokens: signsIdTokens(request.school),
      origin: request.school.origin,
    })
    return sendPage(reply, request, 'site', page)
  })
}

/** What an owner asks first: how many learn, what is on offer, who pays, what comes next. */
async function readFigures({ ask }: Visit): Promise<readonly Figure[]> {
  const count = async (list: ReadOperation, filter: Readonly<Record<string, unknown>>) =>
    Number((await ask(list, { ...filter, limit: 1, include_total: true })).total)
  const soon = { state: 'published', starts_after: new Date().toISOString() }
  const [students, courses, subscriptions, events] = await Promise.all([
    count(listStudents, {}),
    count(listCourses, { state: 'published' }),
    count(listSubscriptions, { state: 'active' }),
    count(listEvents, soon),
  ])
  return [
    { label: 'Students', href: '/admin/students', value: students },
    { label: 'Published courses', href: '/admin/courses?state=published', value: courses },
    {
      label: 'Active subscriptions',
      href: '/admin/subscriptions?state=active',
      value: subscriptions,
    },
    { label: 'Events to come', href: '/admin/events?sort=-starts_at', value: events },
  ]
}
