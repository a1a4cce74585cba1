import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exportedBy, importedBy } from '../../../../../domain/catalogue/transfer-operations.ts'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import type { Ask } from '../field.ts'
import { filterValue } from '../list-filter.ts'
import type { ListPlan } from '../list-plan.ts'
import { type AdminResource, type Link, listPath, objectPath } from '../resource.ts'
import type { Row } from '../row.ts'
import { type ListQuery, listPage, type ShownFilter } from '../views/list-page.tsx'
import { withArticle } from '../views/words.ts'
import { choicesOf, findTextsIn } from './choices.ts'
import { exportPath, importPath } from './job-routes.ts'
import { noticesOf } from './notices.ts'
import { actionsForMany, selectionPath } from './selection-routes.ts'
import { enter, expanding, type Visit } from './visit.ts'

const ROWS = 25

export function addListRoute(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  const { list } = resource
  if (list === undefined) return
  app.get(listPath(resource), async (request, reply) => {
    const visit = await enter(context, request, reply)
    return await showList(request, reply, visit, {
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
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { plan, fixed, resource, ...shown }: ShownList,
): Promise<FastifyReply> {
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
  return sendPage(reply, request, 'site', html)
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
async function readPage(visit: Visit, { operation }: ListPlan, input: Row, after: string) {
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

/** Reads the query. Unknown values are ignored, so that an old or foreign link still shows the list. */
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
