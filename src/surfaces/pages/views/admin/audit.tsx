import type { AuditFilter, AuditRecord } from '../../../../domain/audit/read-audit.ts'
import { Address, Field, Name } from '../../../../foundation/html/components.tsx'
import { Select } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'
import { auditWord, auditWords } from './audit-words.ts'

interface AuditProps extends AdminFrame {
  filter: AuditFilter
  entries: readonly AuditRecord[]
  next: string | undefined
  isFirst: boolean
}

export function auditPage(props: AuditProps): string {
  const { filter, entries, next, isFirst, timeZone } = props
  return adminPage({
    ...props,
    title: 'Audit log',
    children: (
      <>
        <PageHead title="Audit log" lead="What happened at your school, newest first." />
        <section class="panel" aria-label="Filters">
          <Filters filter={filter} />
        </section>
        <section class="panel" aria-label="Entries">
          {entries.length === 0 ? (
            <Empty>
              <p>Nothing here{isFiltered(filter) && ' with these filters'}.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {entries.map((entry) => (
                <Entry entry={entry} timeZone={timeZone} />
              ))}
            </ul>
          )}
        </section>
        <p class="actions">
          {!isFirst && <a href={address(filter)}>Newest entries</a>}
          {next !== undefined && <a href={address(filter, next)}>Older entries</a>}
        </p>
      </>
    ),
  })
}

function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** The address of the log with these filters, from the entry `before` on. */
function address(filter: AuditFilter, before?: string): string {
  const query = new URLSearchParams()
  const add = (name: string, value: string | undefined) => value && query.set(name, value)
  add('action', filter.action)
  add('outcome', filter.outcome)
  add('person', filter.actorEmail)
  add('app', filter.clientId)
  add('before', before)
  return query.size === 0 ? paths.audit : `${paths.audit}?${query}`
}

function Filters({ filter }: { filter: AuditFilter }) {
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
          ['refused', 'Refused'],
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
        label="client_id"
        type="text"
        autocomplete="off"
        value={filter.clientId}
        optional
      />
      <div class="actions">
        <button type="submit" class="button button-primary">
          Show
        </button>
        {isFiltered(filter) && <a href={paths.audit}>Clear filters</a>}
      </div>
    </form>
  )
}

function Entry({ entry, timeZone }: { entry: AuditRecord; timeZone: string }) {
  const { actor, client } = entry
  const details = detailRows(entry)
  return (
    <li>
      <div>
        <p class="row-title">
          {auditWord(entry.action, entry.detail)}
          {entry.outcome !== 'ok' && <Badge tone="bad">Refused</Badge>}
        </p>
        <p class="row-note">
          {actor === undefined ? (
            'no person'
          ) : (
            <a href={address({ actorEmail: actor.email })}>
              <Name text={actor.name || actor.email} fallback="a person without a role here" />
            </a>
          )}
          {client !== undefined && (
            <>
              {' · '}
              <a href={address({ clientId: client.id })}>
                <Name text={client.name} fallback={client.id} />
              </a>
            </>
          )}
        </p>
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

function detailRows(entry: AuditRecord): [string, string][] {
  const detail = Object.entries(entry.detail).map(
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
