import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../../../../gate/context.ts'
import { sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import { SEARCH_PATH } from '../../../views/admin/admin-search.tsx'
import type { AdminResource } from '../resource.ts'
import { coupons } from '../resources/coupons.tsx'
import { courses } from '../resources/courses.tsx'
import { events } from '../resources/events.tsx'
import { forms } from '../resources/forms.tsx'
import { orders } from '../resources/orders.tsx'
import { payments } from '../resources/payments.tsx'
import { members } from '../resources/people.tsx'
import { plans } from '../resources/plans.tsx'
import { products } from '../resources/products.tsx'
import { pages, posts } from '../resources/writing.tsx'
import { type FoundGroup, searchPage } from '../views/search-page.tsx'
import { enter, expanding, type Visit } from './visit.ts'

/** What one search looks through. Each has a list with a search that an index answers. */
const SEARCHED: readonly AdminResource[] = [
  members,
  orders,
  payments,
  courses,
  events,
  plans,
  products,
  coupons,
  posts,
  pages,
  forms,
]

const SHOWN = 5
/** A letter is found almost everywhere, but in Chinese and Japanese it is a word. */
const SHORTEST = 2
const ONE_IS_A_WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** One search over people, orders, courses and content, from every page of the admin area. */
export function addSearchRoute(app: FastifyInstance, context: AppContext): void {
  app.get(SEARCH_PATH, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const text = (queryOf(request).get('q') ?? '')
      .replace(/[\u0000-\u001f\u007f]+/g, ' ')
      .trim()
      .slice(0, 100)
    const isTooShort = [...text].length < SHORTEST && !ONE_IS_A_WORD.test(text)
    const groups: FoundGroup[] = []
    // One after the other: a search takes one connection of the school, like any other page.
    if (!isTooShort) {
      for (const resource of SEARCHED) {
        const group = await findIn(visit, resource, text)
        if (group.rows.length > 0) groups.push(group)
      }
    }
    const page = searchPage({ ...visit.frame(), text, isTooShort, groups, place: visit.place })
    return sendPage(reply, request, 'site', page)
  })
}

async function findIn(visit: Visit, resource: AdminResource, search: string): Promise<FoundGroup> {
  const { list } = resource
  if (list === undefined) throw new Error(`${resource.path} has no list`)
  const input = { ...expanding(list), search, sort: list.sorts[0]?.[0], limit: SHOWN }
  const found = await visit.perform(list.operation, input)
  const { data, has_more } = found.kind === 'done' ? found.output : { data: [], has_more: false }
  return { resource, columns: list.columns, rows: data, hasMore: has_more }
}
