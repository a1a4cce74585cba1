import type { FastifyInstance } from 'fastify'
import { listClients } from '../../../domain/clients/list-clients.ts'
import { listSubscriptions } from '../../../domain/commerce/subscription-operations.ts'
import { listEvents } from '../../../domain/events/event-operations.ts'
import { countConnectedPeople } from '../../../domain/grants/people-of-app.ts'
import { listCourses } from '../../../domain/learning/course-operations.ts'
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

/** The numbers that an owner looks for first: students, courses on offer, subscriptions, events. */
async function readFigures({ ask }: Visit): Promise<readonly Figure[]> {
  const first = { limit: 1, include_total: true }
  const starts_after = new Date().toISOString()
  const [students, courses, subscriptions, events] = await Promise.all([
    ask(listStudents, first),
    ask(listCourses, { ...first, state: 'published' }),
    ask(listSubscriptions, { ...first, state: 'active' }),
    ask(listEvents, { ...first, state: 'published', starts_after }),
  ])
  return [
    { label: 'Students', href: '/admin/students', value: students.total ?? 0 },
    {
      label: 'Published courses',
      href: '/admin/courses?state=published',
      value: courses.total ?? 0,
    },
    {
      label: 'Active subscriptions',
      href: '/admin/subscriptions?state=active',
      value: subscriptions.total ?? 0,
    },
    { label: 'Upcoming events', href: '/admin/events?sort=-starts_at', value: events.total ?? 0 },
  ]
}
