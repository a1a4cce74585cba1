import type { ComponentChildren } from 'preact'
import { Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { Pager } from '../pager.tsx'
import type { SiteFrame } from '../site-layout.tsx'
import { memberPage } from './member-page.tsx'

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined
  readonly isFirst: boolean
}

interface MemberListProps<Row> extends SiteFrame {
  title: string
  lead?: string
  page: ListPage<Row>
  /** The address of the first page. */
  path: string
  label?: 'Older' | 'Later'
  /** Above the list. */
  above?: ComponentChildren
  /** What to do where there is nothing yet. */
  empty: ComponentChildren
  script?: string | undefined
  row: (row: Row) => ComponentChildren
}

/** A list of what a member has, one page of it. */
export function memberList<Row>(props: MemberListProps<Row>): string {
  const { page, path, label = 'Older' } = props
  return memberPage({
    ...props,
    children: (
      <>
        <PageHead title={props.title} lead={props.lead} />
        {props.above}
        <section class="panel" aria-label={props.title}>
          {page.rows.length === 0 ? (
            <Empty>{page.isFirst ? props.empty : <p>There is nothing more.</p>}</Empty>
          ) : (
            <ul class="rows">{page.rows.map(props.row)}</ul>
          )}
        </section>
        <Pager
          first={path}
          isFirst={page.isFirst}
          next={page.next && `${path}${path.includes('?') ? '&' : '?'}after=${page.next}`}
          label={label}
        >
          {label === 'Older' ? 'The latest are on the first page.' : 'The next ones come first.'}
        </Pager>
      </>
    ),
  })
}
