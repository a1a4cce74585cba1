import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import { Name } from '../../../../foundation/html/components.tsx'
import { Empty, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { readSearch, type Search } from '../../frame/search-field.tsx'
import type { Column } from '../crud/list-plan.ts'
import { expanding } from '../crud/named.ts'
import { ObjectTable } from '../crud/object-table.tsx'
import { type AdminResource, listPath, objectPath } from '../crud/resource.ts'
import type { Row } from '../crud/row.ts'
import { type AdminFrame, adminPage, SEARCH_PATH } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit, type Place } from '../frame/operator.ts'
import { coupons } from './coupons.tsx'
import { courses } from './courses.tsx'
import { events } from './events.tsx'
import { forms } from './forms.tsx'
import { orders } from './orders.tsx'
import { payments } from './payments.tsx'
import { members } from './people.tsx'
import { plans } from './plans.tsx'
import { products } from './products.tsx'
import { pages, posts } from './writing.tsx'

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

/** One search over people, orders, courses and content, from every page of the admin area. */
export function addSearchRoute(app: FastifyInstance, context: AppContext): void {
  app.get(SEARCH_PATH, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const { text, isTooShort } = readSearch(queryOf(request))
    const groups: FoundGroup[] = []
    // One after the other: a search takes one connection of the school, like any other page.
    if (!isTooShort) {
      for (const resource of SEARCHED) {
        const group = await findIn(visit, resource, text)
        if (group.rows.length > 0) groups.push(group)
      }
    }
    const page = searchPage({ ...visit.frame(), text, isTooShort, groups, place: visit.place })
    return visit.page(page)
  })
}

async function findIn(
  visit: OperatorVisit,
  resource: AdminResource,
  search: string,
): Promise<FoundGroup> {
  const { list } = resource
  if (list === undefined) throw new Error(`${resource.path} has no list`)
  const input = { ...expanding(list), search, sort: list.sorts[0]?.[0], limit: SHOWN }
  const found = await visit.perform(list.operation, input)
  const { data, has_more } = found.kind === 'done' ? found.output : { data: [], has_more: false }
  return { resource, columns: list.columns, rows: data, hasMore: has_more }
}

/** What one kind of objects has for a text. */
interface FoundGroup {
  readonly resource: AdminResource
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

interface SearchPageProps extends AdminFrame, Search {
  readonly groups: readonly FoundGroup[]
  readonly place: Place
}

export function searchPage(props: SearchPageProps): string {
  const { text, isTooShort, groups, place } = props
  return adminPage({
    ...props,
    here: SEARCH_PATH,
    title: 'Search',
    searchText: text,
    children: (
      <>
        <PageHead title="Search" lead={leadOf(text, isTooShort)} />
        {!isTooShort && groups.length === 0 && (
          <Empty>
            <p>Nothing matches. Try a part of a name, an email, or the number of an order.</p>
          </Empty>
        )}
        {groups.map(({ resource, columns, rows, hasMore }) => (
          <Panel id={resource.path} title={resource.many}>
            <ObjectTable
              caption={resource.many}
              columns={columns}
              rows={rows}
              place={place}
              urlOf={(row) => objectPath(resource, row)}
            />
            {hasMore && (
              <p class="actions">
                <a href={`${listPath(resource)}?${new URLSearchParams({ search: text })}`}>
                  {`All ${resource.many.toLowerCase()} that match`}
                </a>
              </p>
            )}
          </Panel>
        ))}
      </>
    ),
  })
}

function leadOf(text: string, isTooShort: boolean): ComponentChildren {
  if (isTooShort) return 'Write at least two letters of a name, an email, a title or a number.'
  return (
    <>
      People, orders, courses and content with “
      <Name text={text} fallback="" />
      ”.
    </>
  )
}
