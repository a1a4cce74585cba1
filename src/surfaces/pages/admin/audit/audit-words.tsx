import type { AuditRecord } from '../../../../domain/audit/read-audit.ts'
import { Arrow } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { currencyOf } from '../../../../foundation/text/currency.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'

/** The members of a detail that `Changes` does not show. */
export function otherMembers(detail: AuditRecord['detail']): [string, unknown][] {
  const shown = [
    'changed',
    'also_changed',
    'currency',
    ...(rolesIn(detail).length > 0 ? ROLES : []),
  ]
  return Object.entries(detail).filter(([name]) => !shown.includes(name))
}

const ROLES = ['before', 'after', 'added']

interface ChangesProps {
  detail: AuditRecord['detail']
  timeZone: string
}

/** What a change of an object changed: the value before and the value after. */
export function Changes({ detail, timeZone }: ChangesProps) {
  const changed = [...pairsIn(detail.changed), ...rolesIn(detail)]
  // Entries of before had the names of changed settings alone.
  const others = [...namesIn(detail.changed), ...namesIn(detail.also_changed)]
  if (changed.length === 0 && others.length === 0) return null
  const currency = typeof detail.currency === 'string' ? detail.currency : undefined
  return (
    <ul class="changes">
      {changed.map(([name, from, to]) => (
        <li>
          {memberWords(name)}:{' '}
          <Value name={name} value={from} currency={currency} timeZone={timeZone} />
          <Arrow to="next" />
          <span class="visually-hidden"> became </span>
          <Value name={name} value={to} currency={currency} timeZone={timeZone} />
        </li>
      ))}
      {others.length > 0 && <li>Also changed: {others.map(memberWords).join(', ')}</li>}
    </ul>
  )
}

interface ValueProps {
  name: string
  value: unknown
  currency: string | undefined
  timeZone: string
}

function Value({ name, value, currency, timeZone }: ValueProps) {
  if (value === null || value === '') return <>none</>
  if (Array.isArray(value)) {
    if (value.length === 0) return <>none</>
    return <bdi class="name">{value.map((text) => plainText(String(text))).join(', ')}</bdi>
  }
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  if (typeof value === 'number') {
    const isMoney = name.endsWith('_amount') && currency !== undefined
    return <>{isMoney ? currencyOf(currency).format(value) : value.toLocaleString('en')}</>
  }
  const text = String(value)
  const time = /_(at|from)$/.test(name) ? new Date(text) : undefined
  if (time !== undefined && !Number.isNaN(time.getTime())) {
    return <Moment at={time} timeZone={timeZone} />
  }
  return <bdi class="name">{plainText(text)}</bdi>
}

function memberWords(name: string): string {
  return plainText(name.replace(/_(at|amount)$/, '').replaceAll('_', ' '))
}

type ChangedPair = readonly [name: string, from: unknown, to: unknown]

function pairsIn(value: unknown): readonly ChangedPair[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, pair]): ChangedPair[] =>
    Array.isArray(pair) && pair.length === 2 ? [[name, pair[0], pair[1]]] : [],
  )
}

/** The entry of a change of roles: before and after, or those that were added. */
function rolesIn({ before, after, added }: AuditRecord['detail']): readonly ChangedPair[] {
  if (Array.isArray(before) && Array.isArray(after)) return [['roles', before, after]]
  return Array.isArray(added) ? [['added_roles', null, added]] : []
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
