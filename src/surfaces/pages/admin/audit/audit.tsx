import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AUDIT_ACTIONS } from '../../../../domain/audit/audit.ts'
import { type AuditedObject, findAudited } from '../../../../domain/audit/audited-objects.ts'
import {
  type AuditFilter,
  type AuditRecord,
  readAudit,
} from '../../../../domain/audit/read-audit.ts'
import { inLane } from '../../../../foundation/db/school-db.ts'
import { Address, Facts, Name } from '../../../../foundation/html/components.tsx'
import { DayField, Field, Select } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { pageHeaders } from '../../../../foundation/http/security-headers.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { auditWord, auditWords } from '../../frame/audit-words.ts'
import { queryOf, withoutNul } from '../../frame/layout.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { requireRecentProof } from '../../frame/recent-proof.ts'
import { fromLocalTime } from '../crud/read-form.ts'
import { type AdminFrame, adminPage, clientPath } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { RESOURCES } from '../resources/all-resources.ts'
import { auditFile, FILE_TYPES, isFileType } from './audit-file.ts'
import { Changes, otherMembers } from './audit-words.tsx'

const EXPORT_PATH = '/admin/audit/export'

/** What an operator asked for; days are days of the school. */
interface AuditSearch {
  readonly filter: AuditFilter
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** What an entry is about. Without an address it is gone, or has no page. */
interface About {
  readonly name?: string | undefined
  readonly url?: string | undefined
}

interface AuditProps extends AdminFrame {
  search: AuditSearch
  aboutEntry: (entry: AuditRecord) => About
  entries: readonly AuditRecord[]
  next: string | undefined
  isFirst: boolean
}

export function auditPage(props: AuditProps): string {
  const { search, entries, next, isFirst, timeZone } = props
  return adminPage({
    ...props,
    title: 'Audit log',
    children: (
      <>
        <PageHead
          title="Audit log"
          lead={`What happened at your school, newest first, ${timeZone} time.`}
        />
        <section class="panel" aria-label="Filters">
          <Filters search={search} />
        </section>
        <section class="panel" aria-label="Entries">
          {entries.length === 0 ? (
            <Empty>
              <p>Nothing here{isFiltered(search) && ' with these filters'}.</p>
              {isFiltered(search) && <a href={adminPaths.audit}>Show all</a>}
            </Empty>
          ) : (
            <ul class="rows">
              {entries.map((entry) => (
                <Entry entry={entry} timeZone={timeZone} about={props.aboutEntry(entry)} />
              ))}
            </ul>
          )}
        </section>
        <p class="actions">
          {!isFirst && <a href={auditAddress(search)}>Newest entries</a>}
          {next !== undefined && <a href={auditAddress(search, { before: next })}>Older entries</a>}
          {entries.length > 0 && (
            <>
              <a href={exportUrl(search, 'csv')}>Download all as CSV</a>
              <a href={exportUrl(search, 'ndjson')}>as NDJSON</a>
            </>
          )}
        </p>
      </>
    ),
  })
}

function isFiltered({ filter }: AuditSearch): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** The address of the log with this search, from the entry `before` on. */
function auditAddress(search: AuditSearch, more: Readonly<Record<string, string>> = {}): string {
  const query = auditQuery(search, more)
  return query.size === 0 ? adminPaths.audit : `${adminPaths.audit}?${query}`
}

function exportUrl(search: AuditSearch, format: string): string {
  return `${EXPORT_PATH}?${auditQuery(search, { format })}`
}

function auditQuery(
  { filter, from, to }: AuditSearch,
  more: Readonly<Record<string, string>>,
): URLSearchParams {
  const asked = {
    action: filter.action,
    outcome: filter.outcome,
    person: filter.actorEmail,
    app: filter.clientId,
    from,
    to,
    ...more,
  }
  return new URLSearchParams(
    Object.entries(asked).filter((part): part is [string, string] => part[1] !== undefined),
  )
}

function Filters({ search }: { search: AuditSearch }) {
  const { filter } = search
  return (
    <form method="get" action={adminPaths.audit} class="filters">
      <Select
        name="action"
        label="Action"
        value={filter.action ?? ''}
        options={[['', 'All actions'], ...Object.entries(auditWords)]}
      />
      <Select
        name="outcome"
        label="Result"
        value={filter.outcome ?? ''}
        options={[
          ['', 'All results'],
          ['ok', 'Done'],
          ['refused', 'Not done'],
        ]}
      />
      <Field
        name="person"
        label="Email of the person"
        type="text"
        autocomplete="off"
        value={filter.actorEmail}
        optional
      />
      <Field
        name="app"
        label="Id of the app"
        type="text"
        autocomplete="off"
        value={filter.clientId}
        optional
      />
      <DayField name="from" label="From" value={search.from} />
      <DayField name="to" label="To" value={search.to} />
      <div class="actions">
        <button type="submit" class="button button-primary">
          Show
        </button>
        {isFiltered(search) && <a href={adminPaths.audit}>Clear filters</a>}
      </div>
    </form>
  )
}

/** A job ends as failed or cancelled; anything else was refused when it was asked for. */
function NotDone({ outcome }: Pick<AuditRecord, 'outcome'>) {
  if (outcome === 'cancelled') return <Badge tone="over">Canceled</Badge>
  return <Badge tone="bad">{outcome === 'failed' ? 'Failed' : 'Refused'}</Badge>
}

interface EntryProps {
  entry: AuditRecord
  timeZone: string
  about: About
}

function Entry({ entry, timeZone, about }: EntryProps) {
  const { actor, client } = entry
  const details = detailRows(entry)
  return (
    <li>
      <div>
        <p class="row-title">
          <About words={auditWord(entry.action, entry.detail)} about={about} />
          {entry.outcome !== 'ok' && <NotDone outcome={entry.outcome} />}
        </p>
        <p class="row-note">
          {actor === undefined ? (
            'No person'
          ) : (
            <a href={auditAddress({ filter: { actorEmail: actor.email } })}>
              <Name text={actor.name || actor.email} fallback="a person without a role here" />
            </a>
          )}
          {client !== undefined && (
            <>
              {' · '}
              <a href={auditAddress({ filter: { clientId: client.id } })}>
                <Name text={client.name} fallback={client.id} />
              </a>
            </>
          )}
        </p>
        <Changes detail={entry.detail} timeZone={timeZone} />
      </div>
      <p class="row-note">
        <Moment at={entry.at} timeZone={timeZone} />
      </p>
      {details.length > 0 && (
        <details class="whole">
          <summary>Details</summary>
          <Facts rows={details.map(([term, value]) => [term, <Address text={value} />])} />
        </details>
      )}
    </li>
  )
}

function About({ words, about: { name, url } }: { words: string; about: About }) {
  const told = name === undefined ? words : <Name text={name} fallback={words} />
  return (
    <span>
      {name !== undefined && `${words} · `}
      {url === undefined ? told : <a href={url}>{told}</a>}
    </span>
  )
}

function detailRows(entry: AuditRecord): [string, string][] {
  const detail = otherMembers(entry.detail).map(
    ([name, value]) => [name, inWords(value)] as [string, string],
  )
  return [
    ...(entry.outcome === 'ok' ? [] : [['reason', entry.outcome] as [string, string]]),
    ...(entry.actor === undefined || entry.actor.email === ''
      ? []
      : [['email', entry.actor.email] as [string, string]]),
    ...(entry.client === undefined ? [] : [['client_id', entry.client.id] as [string, string]]),
    ...(entry.subject === undefined ? [] : [['subject', entry.subject] as [string, string]]),
    ...detail,
    ...(entry.requestId === undefined ? [] : [['request', entry.requestId] as [string, string]]),
  ]
}

/** An import may have a thousand subjects. */
const SUBJECTS_SHOWN = 20

function inWords(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length <= SUBJECTS_SHOWN) return JSON.stringify(value)
  const more = (value.length - SUBJECTS_SHOWN).toLocaleString('en')
  return `${value.slice(0, SUBJECTS_SHOWN).join(', ')} and ${more} more`
}

const ENTRIES_SHOWN = 50

/** The audit log of the school, read-only. */
export function addAuditRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.audit, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const query = queryOf(request)
    const search = readSearch(query, request.school.timeZone)
    const before = query.get('before') ?? ''
    const { entries, next } = await readAudit(request.schoolDb, search.filter, {
      before: isUuid(before) ? before : undefined,
      limit: ENTRIES_SHOWN,
    })
    const found = await findAudited(request.schoolDb, entries)
    const page = auditPage({
      ...visit.frame(),
      search,
      entries,
      aboutEntry: (entry) => aboutEntry(entry, found),
      next,
      isFirst: !isUuid(before),
    })
    return visit.page(page)
  })

  app.get(EXPORT_PATH, async (request, reply) =>
    sendExport(await operatorVisit(context, request, reply)),
  )
}

/**
 * The entries of a search as a file. It is sent while it is read, so its length does not matter.
 */
async function sendExport({ request, reply, session }: OperatorVisit): Promise<FastifyReply> {
  const query = queryOf(request)
  const asked = query.get('format') ?? ''
  const type = isFileType(asked) ? asked : 'csv'
  const search = readSearch(query, request.school.timeZone)
  // It has names and emails of people, like every export.
  requireRecentProof(request, session, auditAddress(search))
  const file = auditFile(inLane(request.schoolDb, 'batch'), search.filter, type)
  // The first page is read before the answer starts, while its status can still be changed.
  const first = await file.next()
  return reply
    .headers(pageHeaders(request.school.origin, 'site'))
    .header('content-type', FILE_TYPES[type])
    .header('content-disposition', `attachment; filename="audit.${type}"`)
    .send(Readable.from(after(first, file)))
}

async function* after(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, void>,
): AsyncGenerator<string, void, void> {
  if (first.done !== true) yield first.value
  yield* rest
}

function readSearch(query: URLSearchParams, timeZone: string): AuditSearch {
  const action = query.get('action') ?? ''
  const outcome = query.get('outcome') ?? ''
  const [from, to] = [dayIn(query, 'from'), dayIn(query, 'to')]
  const filter: AuditFilter = {
    action: AUDIT_ACTIONS.find((known) => known === action),
    outcome: outcome === 'ok' || outcome === 'refused' ? outcome : undefined,
    actorEmail: textOf(query, 'person'),
    clientId: textOf(query, 'app'),
    from: from === undefined ? undefined : startOf(from, 0, timeZone),
    until: to === undefined ? undefined : startOf(to, 1, timeZone),
  }
  return { filter, from, to }
}

/** A day that the calendar has; other text counts as none. */
function dayIn(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? ''
  return fromLocalTime(`${text}T00:00`, 'UTC') === undefined ? undefined : text
}

/** When a day begins at the school, or the day that is so many days later. */
function startOf(day: string, later: number, timeZone: string): Date | undefined {
  const asked = new Date(Date.parse(day) + later * 86_400_000).toISOString().slice(0, 10)
  return fromLocalTime(`${asked}T00:00`, timeZone)
}

function textOf(query: URLSearchParams, name: string): string | undefined {
  return (
    withoutNul(query.get(name) ?? '')
      .trim()
      .slice(0, 2000) || undefined
  )
}

/** By the first part of the names of its operations: `courses` of `courses.read`. */
const PATHS = new Map(RESOURCES.map(({ read, path }) => [read.name.split('.')[0] ?? '', path]))

/** What an entry is about: its name, and its page if it has one now. */
export function aboutEntry(
  { action, client, subject, detail }: AuditRecord,
  found: ReadonlyMap<string, AuditedObject>,
): About {
  if (action.startsWith('client.')) {
    return client === undefined || client.isDeleted === true ? {} : { url: clientPath(client.id) }
  }
  if (action.startsWith('key.')) return { url: adminPaths.keys }
  if (action === 'school.changed') return { url: adminPaths.settings }
  if (detail.operation === 'appearance.change') return { url: '/admin/appearance' }
  const object = subject === undefined ? undefined : found.get(subject)
  if (object === undefined) return typeof detail.name === 'string' ? { name: detail.name } : {}
  const path = PATHS.get(object.kind)
  return {
    name: object.name,
    url: path === undefined ? undefined : `/admin/${path}/${subject}`,
  }
}
