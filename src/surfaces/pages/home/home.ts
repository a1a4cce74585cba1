import type { FastifyInstance } from 'fastify'
import { publicPlans } from '../../../domain/commerce/public-plans.ts'
import { publicProducts } from '../../../domain/commerce/public-products.ts'
import { publicPages, publicPosts } from '../../../domain/content/public-writing.ts'
import { publicEventsToCome } from '../../../domain/events/public-events.ts'
import { publicCourses } from '../../../domain/learning/public-courses.ts'
import { SIGNPOSTS } from '../../../foundation/http/signposts.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { homePage } from '../views/home.tsx'

const COURSES_SHOWN = 48
const EVENTS_SHOWN = 6
const POSTS_SHOWN = 5
const PAGES_SHOWN = 20
const OFFERS_SHOWN = 12

/** The home page of a school, public. */
export function addHomeRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/', async (request, reply) => {
    const { at, school } = request
    const [session, courses, plans, products, events, posts, pages] = await Promise.all([
      findBrowserSession(request),
      publicCourses(at, '', { limit: COURSES_SHOWN, fromEnd: false }),
      publicPlans(at, '', { limit: OFFERS_SHOWN, fromEnd: false }),
      publicProducts(at, '', { limit: OFFERS_SHOWN, fromEnd: false }),
      publicEventsToCome(at, '', { limit: EVENTS_SHOWN }),
      publicPosts(at, '', { limit: POSTS_SHOWN, fromEnd: false }),
      publicPages(at, '', { limit: PAGES_SHOWN, fromEnd: false }),
    ])
    const page = homePage({
      ...frameFor(context, request, reply, session),
      tagline: school.appearance.tagline,
      description: school.description,
      timeZone: school.timeZone,
      origin: school.origin,
      developersShown: school.mcpConnections,
      personName: session?.person.name,
      courses,
      plans,
      products,
      events,
      posts,
      pages,
    })
    return sendPage(reply.headers(SIGNPOSTS), request, 'site', page)
  })
}
