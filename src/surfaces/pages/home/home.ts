import type { FastifyInstance } from 'fastify'
import { publicPlans, publicProducts } from '../../../domain/commerce/public-offers.ts'
import { publicPages, publicPosts } from '../../../domain/content/public-writing.ts'
import { publicEventsToCome } from '../../../domain/events/public-events.ts'
import { publicCourses } from '../../../domain/learning/public-courses.ts'
import type { KeysetRange } from '../../../foundation/db/keyset.ts'
import { SIGNPOSTS } from '../../../foundation/http/link-header.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { type FirstOnes, homePage } from '../views/home.tsx'

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
      firstOf(COURSES_SHOWN, (range) => publicCourses(at, '', range)),
      firstOf(OFFERS_SHOWN, (range) => publicPlans(at, '', range)),
      firstOf(OFFERS_SHOWN, (range) => publicProducts(at, '', range)),
      firstOf(EVENTS_SHOWN, (range) => publicEventsToCome(at, '', range)),
      firstOf(POSTS_SHOWN, (range) => publicPosts(at, '', range)),
      firstOf(PAGES_SHOWN, (range) => publicPages(at, '', range)),
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

async function firstOf<R>(
  shown: number,
  read: (range: KeysetRange) => Promise<R[]>,
): Promise<FirstOnes<R>> {
  const rows = await read({ limit: shown + 1, fromEnd: false })
  return { rows: rows.slice(0, shown), hasMore: rows.length > shown }
}
