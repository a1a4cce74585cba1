import type { FastifyInstance, FastifyReply } from 'fastify'
import { exportedBy, importedBy } from '../../../../domain/catalogue/transfer-operations.ts'
import { MOST_SHOWN } from '../../../../domain/operation/list-page.ts'
import { Arrow } from '../../../../foundation/html/components.tsx'
import { Select } from '../../../../foundation/html/form-fields.tsx'
import { ButtonLink, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { upTo } from '../../frame/words.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type Ask, type OperatorVisit, operatorVisit, type Place } from '../frame/operator.ts'
import { choicesOf, findTextsIn } from './choices.ts'
import type { Choice } from './field.ts'
import { Finder, FormField } from './field-inputs.tsx'
import { type Column, filterValue, type ListPlan, type PlannedFilter } from './list-plan.ts'
import { expanding } from './named.ts'
import { ObjectTable, withArticle } from './object-table.tsx'
import { type AdminResource, type Link, listPath, objectPath } from './resource.ts'
import type { Row } from './row.ts'
import { actionsForMany, selectionPath } from './selection.tsx'
import { noticesOf } from './submit.ts'
import { exportPath, importPath } from './transfers.tsx'

const ROWS = 25

export function addListRoute(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  const { list } = resource
  if (list === undefined) return
  app.get(listPath(resource), async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    return await showList(visit, {
      resource,
      plan: list,
      path: listPath(resource),
      heading: resource.many,
      lead: resource.lead,
      add:
        resource.create === undefined
          ? undefined
          : {
              url: `${listPath(resource)}/new`,
              label: resource.createLabel ?? `New ${resource.one}`,
            },
      links: resource.listLinks,
      empty: emptyWords(resource),
      fixed: {},
    })
  })
}

function emptyWords({ one, create, empty }: AdminResource): string {
  if (empty !== undefined) return `There is no ${one} yet. ${empty}`
  return create === undefined
    ? `There is no ${one} yet.`
    : `There is no ${one} yet. Begin with ${withArticle(one)} of your own.`
}

export interface ShownList {
  /** The resource of the rows. */
  readonly resource: AdminResource
  readonly plan: ListPlan
  readonly path: string
  readonly heading: string
  readonly lead?: string | undefined
  readonly up?: Link | undefined
  readonly add: Link | undefined
  readonly links?: readonly Link[] | undefined
  readonly empty: string
  /** Members of the operation's input that the path decides. */
  readonly fixed: Row
}

export async function showList(
  visit: OperatorVisit,
  { plan, fixed, resource, ...shown }: ShownList,
): Promise<FastifyReply> {
  const { request } = visit
  const { operation, sorts } = plan
  const asked = queryOf(request)
  const filters = await shownFilters(plan, visit.ask, asked)
  const query = readQuery(
    asked,
    sorts.map(([name]) => name),
    filters,
    visit.place.timeZone,
  )
  const searchable = 'search' in operation.input.shape
  const input: Row = {
    ...expanding(plan),
    ...filterInput(plan, query, visit.place.timeZone),
    ...(searchable && query.search !== '' ? { search: query.search } : {}),
    sort: query.sort,
    limit: ROWS,
    // Last, so that no filter in the query can replace the parent that the path names.
    ...fixed,
  }
  const page = await readPage(visit, plan, input, asked.get('after') ?? '')
  const { expand, sort, limit, ...only } = input
  const html = listPage({
    ...visit.frame(noticesOf(resource)),
    ...shown,
    transfers: visit.storesFiles ? transfersOf(plan, only, fixed) : [],
    columns: plan.columns,
    title: shown.heading,
    place: visit.place,
    query,
    defaultSort: sorts[0]?.[0] ?? '',
    searchable,
    searchHint: plan.searchHint,
    filters,
    sorts,
    rows: page.list.data,
    urlOf: (row) => objectPath(resource, row),
    selection: selectionOf(resource, plan),
    total: page.total,
    next: page.list.next ?? undefined,
    isFirst: page.isFirst,
  })
  return visit.page(html)
}

function selectionOf(resource: AdminResource, plan: ListPlan) {
  const actions = resource.list === undefined ? [] : actionsForMany(resource)
  if (actions.length === 0) return undefined
  // A name may consist of related objects that the list does not read.
  const isNamed = (resource.expand ?? []).every((name) => plan.expand?.includes(name) === true)
  return {
    path: selectionPath(resource),
    actions: actions.map(({ path, label }) => [path, label] as const),
    nameOf: (row: Row) => (isNamed && plainText(resource.name(row))) || `this ${resource.one}`,
  }
}

/** The pages that export what this list shows, and that import rows of its kind. */
function transfersOf({ operation }: ListPlan, only: Row, fixed: Row): readonly Link[] {
  const [exported, imported] = [exportedBy(operation), importedBy(operation, Object.keys(fixed))]
  return [
    ...(imported === undefined ? [] : [{ url: importPath(imported, fixed), label: 'Import' }]),
    ...(exported === undefined ? [] : [{ url: exportPath(exported, only), label: 'Export' }]),
  ]
}

/** A cursor that the operation refuses leads to the first page. */
async function readPage(visit: OperatorVisit, { operation }: ListPlan, input: Row, after: string) {
  if (after !== '') {
    const outcome = await visit.perform(operation, { ...input, after })
    if (outcome.kind === 'done') return { list: outcome.output, total: null, isFirst: false }
  }
  const list = await visit.ask(operation, input)
  const total = list.has_more ? (await visit.ask(operation.count, input)).total : list.data.length
  return { list, total, isFirst: true }
}

async function shownFilters(
  { filters }: ListPlan,
  ask: Ask,
  asked: URLSearchParams,
): Promise<readonly ShownFilter[]> {
  const texts = findTextsIn(asked)
  return await Promise.all(
    filters.map(async (filter) => {
      const wanted = { text: texts[filter.name] ?? '', chosen: asked.getAll(filter.name) }
      const { choices, isMore } = await choicesOf(filter, ask, wanted)
      const findText = isMore || wanted.text !== '' ? wanted.text : undefined
      return { filter, choices, findText }
    }),
  )
}

/**
 * Reads the query. Unknown values are ignored, so that an old or foreign link still shows the list.
 */
function readQuery(
  asked: URLSearchParams,
  sorts: readonly string[],
  filters: readonly ShownFilter[],
  timeZone: string,
): ListQuery {
  const sort = asked.get('sort') ?? ''
  const used = filters.map(({ filter, choices }) => {
    const text = asked.get(filter.name) ?? filter.initial
    const isKnown =
      filter.kind === 'choice'
        ? choices.some(([value]) => value === text)
        : filterValue(filter, text, timeZone) !== undefined
    return [filter.name, text === '' || isKnown ? text : filter.initial] as const
  })
  return {
    search: searchIn(asked),
    sort: sorts.includes(sort) ? sort : (sorts[0] ?? ''),
    filters: Object.fromEntries(used),
  }
}

function searchIn(asked: URLSearchParams): string {
  const text = asked.get('search') ?? ''
  return text
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 100)
}

function filterInput({ filters }: ListPlan, query: ListQuery, timeZone: string): Row {
  const values = filters.flatMap((filter) => {
    const text = query.filters[filter.name] ?? ''
    return text === '' ? [] : [[filter.name, filterValue(filter, text, timeZone)] as const]
  })
  return Object.fromEntries(values)
}

/** The search, sort and filters of a request. */
interface ListQuery {
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
              <p>{emptyListWords(props)}</p>
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

function emptyListWords(props: ListPageProps): string {
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
