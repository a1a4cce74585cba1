import type { AuditFilter, AuditRecord } from '../../../../domain/audit/read-audit.ts'
import { Address, Field, Name } from '../../../../foundation/html/components.tsx'
import { Select } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'
import { Changes, otherMembers } from './audit-changes.tsx'
import { auditWord, auditWords } from './audit-words.ts'

export const EXPORT_PATH = '/admin/audit/export'

/** What an operator asked for; days are days of the school. */
export interface AuditSearch {
  readonly filter: AuditFilter
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** What an entry is about. Without an address it is gone, or has no page. */
export interface About {
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
              {isFiltered(search) && <a href={paths.audit}>Show all</a>}
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
export function auditAddress(
  search: AuditSearch,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = queryOf(search, more)
  return query.size === 0 ? paths.audit : `${paths.audit}?${query}`
}

function exportUrl(search: AuditSearch, format: string): string {
  return `${EXPORT_PATH}?${queryOf(search, { format })}`
}

function queryOf(
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
    <form method="get" action={paths.audit} class="filters">
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
        {isFiltered(search) && <a href={paths.audit}>Clear filters</a>}
      </div>
    </form>
  )
}

function DayField(props: { name: string; label: string; value: string | undefined }) {
  const { name, label, value } = props
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type="date" value={value} />
    </div>
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
          <dl class="facts">
            {details.map(([term, value]) => (
              <div>
                <dt>{term}</dt>
                <dd>
                  <Address text={value} />
                </dd>
              </div>
            ))}
          </dl>
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
