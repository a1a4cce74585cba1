import { MOST_SHOWN } from '../../../../../domain/operation/list-page.ts'
import { Arrow } from '../../../../../foundation/html/components.tsx'
import { Select } from '../../../../../foundation/html/form-fields.tsx'
import { ButtonLink, Empty, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { upTo } from '../../../views/words.ts'
import type { Choice } from '../field.ts'
import type { PlannedFilter } from '../list-filter.ts'
import type { Column } from '../list-plan.ts'
import type { Link } from '../resource.ts'
import type { Place, Row } from '../row.ts'
import { Finder, FormField } from './field.tsx'
import { ObjectTable } from './object-table.tsx'

/** The search, sort and filters of a request. */
export interface ListQuery {
  readonly search: string
  readonly sort: string
  /** By the name of the filter; empty for all objects. */
  readonly filters: Readonly<Record<string, string>>
}

export interface ShownFilter {
  readonly filter: PlannedFilter
  readonly choices: readonly Choice[]
  readonly findText: string | undefined
}

export interface ListPageProps extends AdminFrame {
  readonly title: string
  readonly heading: string
  readonly lead?: string | undefined
  readonly up?: Link | undefined
  readonly add?: Link | undefined
  readonly links?: readonly Link[] | undefined
  /** The pages that import and export. */
  readonly transfers: readonly Link[]
  readonly path: string
  readonly query: ListQuery
  /** The sort of an address that names none. */
  readonly defaultSort: string
  readonly searchable: boolean
  readonly searchHint?: string | undefined
  readonly filters: readonly ShownFilter[]
  readonly sorts: readonly Choice[]
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly urlOf: (row: Row) => string
  /** Null if it is not known. */
  readonly total: number | null
  readonly next: string | undefined
  readonly isFirst: boolean
  readonly empty: string
  readonly place: Place
  /** What can be done with the rows that are ticked. */
  readonly selection?: Selection | undefined
}

interface Selection {
  readonly path: string
  readonly actions: readonly Choice[]
  readonly nameOf: (row: Row) => string
}

const SELECTION = 'selection'

export function listPage(props: ListPageProps): string {
  const { rows, query, add } = props
  return adminPage({
    ...props,
    children: (
      <>
        <PageHead title={props.heading} lead={props.lead} up={props.up}>
          <div class="actions">
            {add !== undefined && (
              <ButtonLink look="primary" href={add.url}>
                {add.label}
              </ButtonLink>
            )}
            {[...(props.links ?? []), ...props.transfers].map(({ url, label }) => (
              <ButtonLink look="plain" href={url}>
                {label}
              </ButtonLink>
            ))}
          </div>
        </PageHead>
        {(props.searchable || props.filters.length > 0 || props.sorts.length > 1) && (
          <ListFinder {...props} />
        )}
        <section class="panel panel-list" aria-label={props.heading}>
          {rows.length === 0 ? (
            <Empty>
              <p>{emptyWords(props)}</p>
              <NextStep {...props} />
            </Empty>
          ) : (
            <ObjectTable
              caption={props.heading}
              columns={props.columns}
              rows={rows}
              place={props.place}
              urlOf={props.urlOf}
              ticking={
                props.selection && {
                  form: SELECTION,
                  idOf: ({ id }) => String(id),
                  nameOf: props.selection.nameOf,
                }
              }
              sorting={{
                current: query.sort,
                urlOf: (sort) =>
                  props.sorts.some(([name]) => name === sort)
                    ? addressOf(props, { ...query, sort })
                    : undefined,
              }}
            />
          )}
        </section>
        {props.selection !== undefined && rows.length > 0 && <WithTicked {...props.selection} />}
        <Pager {...props} />
      </>
    ),
  })
}

function emptyWords(props: ListPageProps): string {
  if (!isNarrowed(props.query)) return props.empty
  return isAsked(props) ? 'Nothing matches your search.' : 'Nothing matches the filters above.'
}

/** What to do about an empty list. */
function NextStep(props: ListPageProps) {
  const { query, filters, add } = props
  if (isNarrowed(query)) {
    const none = Object.fromEntries(filters.map(({ filter }) => [filter.name, '']))
    return <a href={addressOf(props, { ...query, search: '', filters: none })}>Show all</a>
  }
  return add === undefined ? null : (
    <ButtonLink look="plain" href={add.url}>
      {add.label}
    </ButtonLink>
  )
}

function isNarrowed({ search, filters }: ListQuery): boolean {
  return search !== '' || Object.values(filters).some((value) => value !== '')
}

/** Whether the request differs from the list's own address. */
function isAsked({ query, filters }: Pick<ListPageProps, 'query' | 'filters'>): boolean {
  return (
    query.search !== '' ||
    filters.some(({ filter }) => query.filters[filter.name] !== filter.initial)
  )
}

/** The address of the same list with another query. */
export function addressOf(
  { path, defaultSort, filters }: Pick<ListPageProps, 'path' | 'defaultSort' | 'filters'>,
  { search, sort, filters: chosen }: ListQuery,
  after?: string,
): string {
  const query = new URLSearchParams()
  if (search !== '') query.set('search', search)
  for (const { filter } of filters) {
    const value = chosen[filter.name] ?? filter.initial
    if (value !== filter.initial) query.set(filter.name, value)
  }
  if (sort !== defaultSort) query.set('sort', sort)
  if (after !== undefined) query.set('after', after)
  return query.size === 0 ? path : `${path}?${query}`
}

function ListFinder(props: ListPageProps) {
  const { path, query, searchable, searchHint, filters, sorts } = props
  return (
    <form method="get" action={path} class="finder" aria-label={`Find in ${props.heading}`}>
      {searchable && (
        <div class="field finder-search">
          <label for="search">Search</label>
          <input
            id="search"
            type="search"
            name="search"
            value={query.search}
            maxLength={100}
            placeholder={searchHint}
            dir="auto"
          />
        </div>
      )}
      {filters.map((shown) => (
        <Filter
          shown={shown}
          value={query.filters[shown.filter.name] ?? ''}
          timeZone={props.place.timeZone}
        />
      ))}
      {sorts.length > 1 && <Select name="sort" label="Order" value={query.sort} options={sorts} />}
      <div class="actions">
        <button type="submit" class="button button-plain">
          Show
        </button>
        {isAsked(props) && <a href={path}>Clear</a>}
      </div>
    </form>
  )
}

/** The page that it leads to asks, and names the rows. */
function WithTicked({ path, actions }: Selection) {
  return (
    <form
      id={SELECTION}
      method="get"
      action={path}
      class="finder"
      aria-label="Do with the selected rows"
    >
      <Select name="action" label="With the selected rows" value="" options={actions} />
      <div class="actions">
        <button type="submit" class="button button-plain">
          Continue
        </button>
      </div>
    </form>
  )
}

interface FilterProps {
  shown: ShownFilter
  value: string
  timeZone: string
}

function Filter({ shown: { filter, choices, findText }, value, timeZone }: FilterProps) {
  const field = { field: filter, typed: [value], problems: [], choices, findText }
  if (filter.kind !== 'choice') return <FormField shown={field} timeZone={timeZone} />
  return (
    <>
      <Select
        name={filter.name}
        label={filter.label}
        value={value}
        options={[['', 'All'], ...choices]}
      />
      <Finder shown={field} />
    </>
  )
}

function Pager(props: ListPageProps) {
  const { total, next, isFirst, query, rows } = props
  if (rows.length === 0 && isFirst) return null
  return (
    <nav class="pager" aria-label="Pages">
      <p>{total !== null && `${upTo(MOST_SHOWN, total)} in all`}</p>
      <p class="actions">
        {!isFirst && <a href={addressOf(props, query)}>First page</a>}
        {next !== undefined && (
          <a href={addressOf(props, query, next)} rel="next">
            Next page
            <Arrow to="next" />
          </a>
        )}
      </p>
    </nav>
  )
}
