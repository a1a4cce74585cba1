import type { FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import {
  cutPage,
  encodeKey,
  type Keyed,
  type KeysetRange,
  parseKey,
} from '../../../foundation/db/keyset.ts'
import { Arrow } from '../../../foundation/html/components.tsx'
import { Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { queryOf } from './layout.tsx'

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

/** How many rows a page shows. */
const SHOWN = 20

/** The page of a list that the address asks for. A cursor that is not ours shows the first page. */
export async function readListPage<R extends Keyed>(
  request: FastifyRequest,
  list: string,
  read: (range: KeysetRange) => Promise<R[]>,
): Promise<ListPage<R>> {
  const after = parseKey(list, queryOf(request).get('after') ?? '')
  const rows = await read({ after, limit: SHOWN + 1, fromEnd: false })
  const { shown, last } = cutPage(rows, SHOWN)
  return {
    rows: shown,
    next: last && encodeKey(list, last.key),
    isFirst: after === undefined,
  }
}

/** What the next page holds; `More` of what has no date on the page. */
export type NextPage = 'Older' | 'Later' | 'More'

/** Below a list: the way to its first page and to the next one. */
export function Pager(props: {
  first: string
  isFirst: boolean
  next: string | undefined
  label: NextPage
  /** Said on the pages after the first one. */
  children: ComponentChildren
}) {
  const { first, isFirst, next } = props
  if (next === undefined && isFirst) return null
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <p>{props.children}</p>}
      <p class="actions">
        {!isFirst && <a href={first}>First page</a>}
        {next !== undefined && (
          <a href={next} rel="next">
            {props.label}
            <Arrow to="next" />
          </a>
        )}
      </p>
    </nav>
  )
}
