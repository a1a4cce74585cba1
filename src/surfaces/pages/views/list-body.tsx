import type { ComponentChildren } from 'preact'
import { Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { type NextPage, Pager } from './pager.tsx'

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined
  readonly isFirst: boolean
}

export interface ListBodyProps<Row> {
  title: string
  lead?: string
  up?: { url: string; label: string }
  page: ListPage<Row>
  /** The address of the first page. */
  path: string
  label?: NextPage
  look?: 'rows' | 'offers'
  /** The heading of the list, where it is not alone on its page. */
  listTitle?: string
  /** Above the list. */
  above?: ComponentChildren
  /** What to do where there is nothing yet. */
  empty: ComponentChildren
  row: (row: Row) => ComponentChildren
}

/** One page of a list, with its heading and the way to the next page. */
export function ListBody<Row>(props: ListBodyProps<Row>) {
  const { page, path, label = 'Older' } = props
  const list =
    page.rows.length === 0 ? (
      <Empty>{page.isFirst ? props.empty : <p>There is nothing more.</p>}</Empty>
    ) : (
      <ul class={props.look ?? 'rows'}>{page.rows.map(props.row)}</ul>
    )
  return (
    <>
      <PageHead title={props.title} lead={props.lead} up={props.up} />
      {props.above}
      {props.listTitle === undefined ? (
        <section class="panel" aria-label={props.title}>
          {list}
        </section>
      ) : (
        <Panel title={props.listTitle}>{list}</Panel>
      )}
      <Pager
        first={path}
        isFirst={page.isFirst}
        next={page.next && `${path}${path.includes('?') ? '&' : '?'}after=${page.next}`}
        label={label}
      >
        {label === 'Later'
          ? 'The earliest are on the first page.'
          : 'The latest are on the first page.'}
      </Pager>
    </>
  )
}
