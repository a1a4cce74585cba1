import type { ComponentChildren } from 'preact'
import { Name } from '../../../../../foundation/html/components.tsx'
import { Empty, PageHead, Panel } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { SEARCH_PATH } from '../../../views/admin/admin-search.tsx'
import type { Column } from '../list-plan.ts'
import { type AdminResource, listPath, objectPath } from '../resource.ts'
import type { Place, Row } from '../row.ts'
import { ObjectTable } from './object-table.tsx'

/** What one kind of objects has for a text. */
export interface FoundGroup {
  readonly resource: AdminResource
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

interface SearchPageProps extends AdminFrame {
  readonly text: string
  readonly isTooShort: boolean
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
